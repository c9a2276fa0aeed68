/** `migrate` and `cluster distribute`: the schema of the database, without a start of the service. Contract 15.1 and 15.5. */
import { distributeTables, hasCitus } from '../../store/upkeep/distribute.ts';
import { defineCommand, RefusedError } from '../framework/command.ts';

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

export const clusterDistribute = defineCommand({
  name: ['cluster', 'distribute'],
  summary: 'Spread the accounts over the nodes of a Citus cluster.',
  description:
    'Distributes the tables of a migrated database by account, and prints their names. All rows of an account are on one node. Tables that are distributed already are left alone, so the command can be repeated. Later migrations distribute the tables that they add. Run it against the coordinator while no service runs: a table is locked while its rows move.',
  examples: ['cluster distribute'],
  isMigration: true,
  run: async ({ maintenance }) => {
    if (!(await hasCitus(maintenance))) {
      throw new RefusedError(
        'The database has no Citus: run "create extension citus" in it on every node, add the nodes, and try again; see docs/deploy.md.',
      );
    }
    return { distributed: await distributeTables(maintenance) };
  },
  render: ({ distributed }) => distributed.join('\n') || 'All tables of accounts are distributed.',
});
