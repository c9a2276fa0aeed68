/**
 * Databases on a Citus cluster. `CITUS_URL` names the coordinator, in whose database Citus is installed and knows its
 * workers; docs/deploy.md says how to start one. All nodes must be reachable from here, without a password.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, openDatabase } from '../../src/postgres/database.ts';

type CitusAddress = Readonly<{ host: string; port: number; user: string; database: string }>;

export function citusAddress(): CitusAddress {
  if (process.env.CITUS_URL === undefined) {
    throw new Error('set CITUS_URL to the coordinator of a Citus cluster; see docs/deploy.md');
  }
  const { hostname, port, username, pathname } = new URL(process.env.CITUS_URL);
  return {
    host: hostname,
    port: Number(port || 5432),
    user: decodeURIComponent(username) || 'postgres',
    database: pathname.slice(1) || 'postgres',
  };
}

/** Runs a statement that no transaction may contain, such as `create database`, on every node. */
export async function runOnAllNodes(coordinator: Database, text: string): Promise<void> {
  await onceUnused(() => coordinator.query({ text }));
  await onceUnused(() => runOnWorkers(coordinator, text));
}

/** The daemon of Citus visits every database, and while it does, the database can be neither copied nor dropped. */
async function onceUnused(run: () => Promise<unknown>, attemptsLeft = 5): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (attemptsLeft === 0 || !String(error).includes('accessed by other users')) throw error;
    await delay(500);
    await onceUnused(run, attemptsLeft - 1);
  }
}

export async function runOnWorkers(coordinator: Database, text: string): Promise<void> {
  const { rows } = await coordinator.query<{ success: boolean; result: string }>({
    text: `select success, result from run_command_on_workers($1)`,
    values: [text],
  });
  const failed = rows.find(({ success }) => !success);
  if (failed) throw new Error(`${text}: ${failed.result}`);
}

/** An empty database on every node, with the nodes added. */
export async function createCitusDatabase(
  coordinator: Database,
  name: string,
  shards: number,
): Promise<void> {
  const nodes = await listNodes(coordinator);
  await runOnAllNodes(coordinator, `create database ${name}`);
  for (const { host, port } of nodes) {
    await withCitusDatabase({ ...citusAddress(), host, port, database: name }, async (node) => {
      await node.query({ text: 'create extension citus' });
    });
  }
  await withCitusDatabase({ ...citusAddress(), database: name }, async (database) => {
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

export async function withCitusDatabase(
  address: CitusAddress,
  use: (database: Database) => Promise<void>,
): Promise<void> {
  const database = openDatabase(address, { purpose: 'maintenance' });
  await use(database).finally(() => database.close());
}

export async function dropEverywhere(coordinator: Database, name: string): Promise<void> {
  // A retry may find it dropped on some of the nodes.
  await runOnAllNodes(coordinator, `drop database if exists ${name} with (force)`);
}
