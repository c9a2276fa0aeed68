/** PostgreSQL as Patroni runs it: three members of etcd, three nodes and HAProxy, all on this machine. */
import { chown } from 'node:fs/promises';
import type { Closers } from '../../harness/closers.ts';
import { runProgram } from '../../harness/command-line.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import { chooseUser, type Programs } from '../programs.ts';
import { withServer } from '../server-processes.ts';
import { startEtcd } from './etcd.ts';
import { startProxy } from './haproxy.ts';
import { createNode, type PatroniNode } from './node.ts';

export type DatabaseCluster = Awaited<ReturnType<typeof startDatabaseCluster>>;

export type Way = 'haproxy' | 'hosts';

const nodeNames = ['node-1', 'node-2', 'node-3'] as const;
const database = 'payments';
const healthySecondsMax = 120;
const settledMs = 3_000;

export async function startDatabaseCluster(programs: Programs, folder: string, closers: Closers) {
  const user = await chooseUser(folder);
  if (user) await chown(folder, user.uid, user.gid);
  const etcd = await startEtcd(programs, folder, user);
  closers.add(() => Promise.all(etcd.map((member) => member.kill())));
  const nodes: PatroniNode[] = [];
  for (const name of nodeNames) {
    const node = await createNode(programs, folder, user, { name, etcd });
    closers.add(node.close);
    nodes.push(node);
  }
  for (const node of nodes) node.start();
  const proxy = await startProxy(programs, folder, user, nodes);
  closers.add(proxy.close);
  const roles = () => readRoles(nodes);
  const cluster = {
    nodes,
    etcd,
    /** Through HAProxy, and with every server in the URL. */
    urls: {
      haproxy: `postgres://payments@127.0.0.1:${proxy.port}/${database}`,
      hosts: `postgres://payments@${nodes.map(hostOf).join(',')}/${database}`,
    },
    getLeader: async () => getNode(nodes, await roles(), 'leader'),
    getSynchronousStandby: async () => getNode(nodes, await roles(), 'sync_standby'),
    /** Resolves when every node runs, follows the leader, and one of them is synchronous. */
    healthy: () => staysHealthy(roles),
    control: (...words: string[]) => {
      const file = nodes[0]?.settingsFile ?? '';
      return runProgram([programs.patronictl, '-c', file, ...words], { LC_ALL: 'C.UTF-8' });
    },
  };
  await cluster.healthy();
  await createDatabase(await cluster.getLeader());
  return cluster;
}

function hostOf({ layout }: PatroniNode): string {
  return `127.0.0.1:${layout.outerPostgresPort}`;
}

type Role = {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
};

/** As the nodes themselves tell. A node that does not answer in time is skipped: the others know as much. */
async function readRoles(nodes: readonly PatroniNode[]): Promise<readonly Role[]> {
  for (const { layout } of nodes) {
    const roles = await findRoles(layout.restPort).catch(() => undefined);
    if (roles) return roles;
  }
  return [];
}

async function findRoles(restPort: number): Promise<readonly Role[] | undefined> {
  const signal = AbortSignal.timeout(1_000);
  const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal });
  const body = (await response.json()) as { readonly members: readonly Role[] };
  return response.ok ? body.members : undefined;
}

/** For some moments: a node that returns is listed with its former state at first. */
async function staysHealthy(roles: () => Promise<readonly Role[]>): Promise<void> {
  let since: number | undefined;
  const isSettled = async () => {
    const now = performance.now();
    since = isHealthy(await roles()) ? (since ?? now) : undefined;
    return since !== undefined && now - since > settledMs;
  };
  await waitUntil('the cluster is healthy', isSettled, healthySecondsMax);
}

function isHealthy(roles: readonly Role[]): boolean {
  const leaders = roles.filter(({ role, state }) => role === 'leader' && state === 'running');
  const standbys = roles.filter(({ role }) => role !== 'leader');
  return (
    leaders.length === 1 &&
    standbys.length === nodeNames.length - 1 &&
    standbys.every(({ state }) => state === 'running' || state === 'streaming') &&
    standbys.some(({ role }) => role === 'sync_standby') &&
    // A former leader that is not rewound yet is on the timeline before.
    new Set(roles.map(({ timeline }) => timeline)).size === 1
  );
}

function getNode(nodes: readonly PatroniNode[], roles: readonly Role[], wanted: string) {
  const name = roles.find(({ role }) => role === wanted)?.name;
  const found = nodes.find((node) => node.name === name);
  if (!found) throw new Error(`no node is the ${wanted}: ${JSON.stringify(roles)}`);
  return found;
}

async function createDatabase({ layout }: PatroniNode): Promise<void> {
  await withServer(layout.postgresPort, 'postgres', async (client) => {
    await client.query('create role payments login');
    await client.query(`create database ${database} owner payments`);
  });
}
