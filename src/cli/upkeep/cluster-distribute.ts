/** `cluster distribute`: spreads the tables of accounts over the nodes of a Citus cluster. Contract 15.5. */
import { distributeTables, hasCitus } from '../../store/upkeep/distribute.ts';
import { defineCommand, RefusedError } from '../framework/command.ts';

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
