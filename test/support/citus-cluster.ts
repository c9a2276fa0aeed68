/**
 * Databases on a Citus cluster for `npm run test:citus`. `CITUS_URL` names the coordinator, in whose database Citus is
 * installed and knows its workers.
 *
 * Each test file gets a clone of the template on every node. The tables of Citus that are cloned with it name the nodes
 * but not the database, so a clone is a working cluster of its own.
 */
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { distributeTables } from '../../src/store/distribute.ts';
import { migrate } from '../../src/store/migrate.ts';
import type { SuperuserAddress } from './test-cluster.ts';

export const isCitusRun = process.env.CITUS_URL !== undefined;

/** More shards than workers, and few enough to clone them quickly. */
const shards = 4;

export function citusAddress(): SuperuserAddress {
  const { hostname, port, username, pathname } = new URL(process.env.CITUS_URL ?? '');
  return {
    host: hostname,
    port: Number(port || 5432),
    user: decodeURIComponent(username) || 'postgres',
    database: pathname.slice(1) || 'postgres',
  };
}

/** Runs a statement that no transaction may contain, such as `create database`, on every node. */
export async function runOnAllNodes(coordinator: Database, text: string): Promise<void> {
  await coordinator.query({ text });
  await runOnWorkers(coordinator, text);
}

async function runOnWorkers(coordinator: Database, text: string): Promise<void> {
  const { rows } = await coordinator.query<{ success: boolean; result: string }>({
    text: `select success, result from run_command_on_workers($1)`,
    values: [text],
  });
  const failed = rows.find(({ success }) => !success);
  if (failed) throw new Error(`${text}: ${failed.result}`);
}

/** An empty database on every node, with the nodes added. */
export async function createCitusDatabase(coordinator: Database, name: string): Promise<void> {
  const nodes = await listNodes(coordinator);
  await runOnAllNodes(coordinator, `create database ${name}`);
  for (const { host, port } of nodes) {
    await withDatabase({ ...citusAddress(), host, port, database: name }, async (node) => {
      await node.query({ text: 'create extension citus' });
    });
  }
  await withDatabase({ ...citusAddress(), database: name }, async (database) => {
    for (const { host, port, is_coordinator } of nodes) {
      const add = is_coordinator ? 'citus_set_coordinator_host' : 'citus_add_node';
      await database.query({ text: `select ${add}($1, $2)`, values: [host, port] });
    }
    await database.query({
      text: `alter database ${name} set citus.shard_count = ${shards}`,
    });
  });
}

type Node = { readonly host: string; readonly port: number; readonly is_coordinator: boolean };

async function listNodes(coordinator: Database): Promise<Node[]> {
  const { rows } = await coordinator.query<Node>({
    text: `select nodename as host, nodeport as port, groupid = 0 as is_coordinator
             from pg_dist_node where isactive order by groupid`,
  });
  return rows;
}

async function withDatabase(
  address: SuperuserAddress,
  use: (database: Database) => Promise<void>,
): Promise<void> {
  const database = openDatabase(address, { purpose: 'maintenance' });
  await use(database).finally(() => database.close());
}

export async function makeCitusTemplate(coordinator: Database, name: string): Promise<void> {
  await dropEverywhere(coordinator, name);
  await createCitusDatabase(coordinator, name);
  await withDatabase({ ...citusAddress(), database: name }, async (template) => {
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

export async function dropEverywhere(coordinator: Database, name: string): Promise<void> {
  await runOnAllNodes(coordinator, `drop database if exists ${name} with (force)`);
}
