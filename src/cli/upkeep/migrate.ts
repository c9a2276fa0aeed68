/** `migrate`: brings the schema of the database up to date without a start of the service. Contract 15.1. */
import { createLog } from '../../process/log.ts';
import { explainUnusable } from '../../process/unusable-database.ts';
import { defineCommand } from '../framework/command.ts';

export const migrate = defineCommand({
  name: ['migrate'],
  summary: 'Bring the schema of the database up to date.',
  description:
    'Applies the migrations that the database lacks, one process at a time, and prints their names. It also creates the schema of background jobs, so that the service needs no right to create anything. A start does the same, unless MIGRATE=no is set: then it refuses a database that this command has not migrated.',
  examples: ['migrate'],
  isMigration: true,
  prepare: () => ({
    run: async (services, config, warn, applied) => {
      const log = createLog('warn', { write: (line) => warn(line.trimEnd()) });
      // Loaded here, because no other command needs the job library.
      const { prepareQueues } = await import('../../process/background.ts');
      await prepareQueues(services, log).catch((error: unknown) => {
        throw explainUnusable(config, error);
      });
      return { applied };
    },
    render: ({ applied }) => {
      const names = applied as readonly string[];
      return names.length === 0 ? 'The schema is up to date.' : names.join('\n');
    },
  }),
});
