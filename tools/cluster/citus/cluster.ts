/** A coordinator and two workers on this machine, and which account is on which of them. */
import { chown } from 'node:fs/promises';
import type { Closers } from '../../harness/closers.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import { chooseUser } from '../programs.ts';
import { withServer } from '../server-processes.ts';
import { type CitusNode, createNode } from './node.ts';

export type CitusCluster = Awaited<ReturnType<typeof startCitusCluster>>;

const database = 'payments';
const healthySecondsMax = 60;

export async function startCitusCluster(postgresFolder: string, folder: string, closers: Closers) {
  const user = await chooseUser(folder);
  if (user) await chown(folder, user.uid, user.gid);
  const nodes: CitusNode[] = [];
  for (const name of ['coordinator', 'worker-1', 'worker-2']) {
    const node = await createNode(postgresFolder, folder, user, name);
    closers.add(node.kill);
    await node.start();
    await createDatabase(node);
    nodes.push(node);
  }
  const [coordinator, ...workers] = nodes;
  if (!coordinator) throw new Error('there is no coordinator');
  await introduce(coordinator, workers);
  const { postgresPort } = coordinator;
  return {
    coordinator,
    workers,
    nodes,
    url: `postgres://postgres@127.0.0.1:${postgresPort}/${database}`,
    /** The worker that has the rows of this account. */
    getWorkerOf: async (accountId: string) => {
      const port = await findPort(coordinator, accountId);
      const worker = workers.find(({ postgresPort }) => postgresPort === port);
      if (!worker) throw new Error(`account ${accountId} is on no worker`);
      return worker;
    },
    /** Resolves when the coordinator reaches every worker. */
    healthy: () =>
      waitUntil('the nodes reach each other', () => reachesAll(coordinator), healthySecondsMax),
    /** Transactions that a worker prepared some time ago and that are still undecided there. */
    countInDoubt: async () => {
      const counts = await Promise.all(workers.map(countPrepared));
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}

async function createDatabase({ postgresPort }: CitusNode): Promise<void> {
  await withServer(postgresPort, 'postgres', async (client) => {
    await client.query(`create database ${database}`);
  });
  await withServer(postgresPort, database, async (client) => {
    await client.query('create extension citus');
  });
}

async function introduce(coordinator: CitusNode, workers: readonly CitusNode[]): Promise<void> {
  await withServer(coordinator.postgresPort, database, async (client) => {
    const { postgresPort } = coordinator;
    await client.query(`select citus_set_coordinator_host('127.0.0.1', $1)`, [postgresPort]);
    for (const { postgresPort } of workers) {
      await client.query(`select citus_add_node('127.0.0.1', $1)`, [postgresPort]);
    }
  });
}

async function findPort(
  { postgresPort }: CitusNode,
  accountId: string,
): Promise<number | undefined> {
  return withServer(postgresPort, database, async (client) => {
    const { rows } = await client.query<{ nodeport: number }>(
      `select n.nodeport
         from pg_dist_placement p
         join pg_dist_node n on n.groupid = p.groupid
        where p.shardid = get_shard_id_for_distribution_column('orders', $1::text)`,
      [accountId],
    );
    return rows[0]?.nodeport;
  });
}

async function reachesAll({ postgresPort }: CitusNode): Promise<boolean> {
  return withServer(postgresPort, database, async (client) => {
    const { rows } = await client.query<{ success: boolean }>(
      `select success from run_command_on_workers('select 1')`,
    );
    return rows.length > 0 && rows.every(({ success }) => success);
  }).catch(() => false);
}

/** One that is just being committed is prepared too, for some milliseconds. */
async function countPrepared({ postgresPort }: CitusNode): Promise<number> {
  return withServer(postgresPort, database, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from pg_prepared_xacts
        where prepared < clock_timestamp() - interval '2 seconds'`,
    );
    return rows[0]?.count ?? 0;
  });
}
