/** `migrate`: brings the schema of the database up to date without a start of the service. Contract 15.1. */
import { defineCommand } from '../framework/command.ts';

export const migrate = defineCommand({
  name: ['migrate'],
  summary: 'Bring the schema of the database up to date.',
  description:
    'Applies the migrations that the database lacks, one process at a time, and prints their names. The service itself then needs no right to create anything. A start does the same, unless MIGRATE=no is set: then it refuses a database that this command has not migrated.',
  examples: ['migrate'],
  isMigration: true,
  run: async (_services, _words, { migrated }) => ({ applied: migrated }),
  render: ({ applied }) => applied.join('\n') || 'The schema is up to date.',
});
