/**
 * Clones for `npm run test:citus`: each test file gets a copy of the template on every node. The tables of Citus that are
 * copied with it name the nodes but not the database, so a copy is a working cluster of its own.
 */
import type { Database } from '../../src/postgres/database.ts';
import { distributeTables } from '../../src/store/upkeep/distribute.ts';
import { migrate } from '../../src/store/upkeep/migrate.ts';
import {
  citusAddress,
  createCitusDatabase,
  dropEverywhere,
  runOnAllNodes,
  runOnWorkers,
  withCitusDatabase,
} from '../../tools/harness/citus.ts';

export const isCitusRun = process.env.CITUS_URL !== undefined;

/** For tests of how one server plans, stores or describes its tables. */
export const onOneServer = { skip: isCitusRun && 'it is about a single server' };

/** More shards than workers, and few enough to clone them quickly. */
export const testShards = 4;

export async function makeCitusTemplate(coordinator: Database, name: string): Promise<void> {
  await dropEverywhere(coordinator, name);
  await createCitusDatabase(coordinator, name, testShards);
  await withCitusDatabase({ ...citusAddress(), database: name }, async (template) => {
    await migrate(template);
    await distributeTables(template);
  });
  await closeTemplate(coordinator, name);
}

/** The daemon of Citus stays connected to a database, and a database that is used cannot be cloned. */
async function closeTemplate(coordinator: Database, name: string): Promise<void> {
  await runOnAllNodes(coordinator, `alter database ${name} with allow_connections false`);
  const end = `select count(pg_terminate_backend(pid, 30000)) from pg_stat_activity where datname = '${name}'`;
  await coordinator.transaction(async (tx) => {
    // A connection may end by itself meanwhile, which is a warning.
    await tx.query({ text: 'set local client_min_messages = error' });
    await tx.query({ text: end });
  });
  await runOnWorkers(coordinator, end);
}
