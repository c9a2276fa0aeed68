/** Three members of etcd, which decide who leads: they go on while two of them are there. */
import { join } from 'node:path';
import { findFreePort } from '../../harness/free-port.ts';
import { assertRunning, type Launched, launch } from '../../harness/launch.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import type { Programs, User } from '../programs.ts';

export type EtcdMember = ReturnType<typeof openMember>;

type Address = { readonly name: string; readonly clientPort: number; readonly peerPort: number };

const names = ['etcd-1', 'etcd-2', 'etcd-3'] as const;

export async function startEtcd({ etcd, etcdInterface }: Programs, folder: string, user: User) {
  const addresses: Address[] = [];
  for (const name of names) {
    addresses.push({ name, clientPort: await findFreePort(), peerPort: await findFreePort() });
  }
  const older = etcdInterface === 'etcd' ? ['--enable-v2'] : [];
  const members = addresses.map((own) =>
    openMember(own, () =>
      launch(
        [etcd, ...wordsOf(own, addresses, folder), ...older],
        {},
        { cwd: folder, ...(user && { user }) },
      ),
    ),
  );
  await Promise.all(members.map((member) => member.start()));
  return members;
}

function openMember({ name, clientPort }: Address, launchMember: () => Launched) {
  let running: Launched | undefined;
  const url = `http://127.0.0.1:${clientPort}`;
  return {
    name,
    clientPort,
    isLeader: async () => {
      const status = await postJson(`${url}/v3/maintenance/status`);
      return status.leader !== undefined && status.leader === status.header?.member_id;
    },
    /** It comes back with its data. */
    start: async () => {
      running = launchMember();
      const started = running;
      await waitUntil(`${name} is healthy`, async () => {
        await assertRunning(started);
        const response = await fetch(`${url}/health`).catch(() => undefined);
        await response?.body?.cancel();
        return response?.ok ?? false;
      });
    },
    kill: async () => {
      await running?.end('SIGKILL');
    },
  };
}

function wordsOf(
  { name, clientPort, peerPort }: Address,
  all: readonly Address[],
  folder: string,
): string[] {
  const urlOf = (port: number) => `http://127.0.0.1:${port}`;
  const cluster = all.map((one) => `${one.name}=${urlOf(one.peerPort)}`).join(',');
  return [
    '--name',
    name,
    '--data-dir',
    join(folder, name),
    '--listen-client-urls',
    urlOf(clientPort),
    '--advertise-client-urls',
    urlOf(clientPort),
    '--listen-peer-urls',
    urlOf(peerPort),
    '--initial-advertise-peer-urls',
    urlOf(peerPort),
    '--initial-cluster',
    cluster,
    '--initial-cluster-state',
    'new',
  ];
}

type Status = { readonly leader?: string; readonly header?: { readonly member_id?: string } };

async function postJson(url: string): Promise<Status> {
  const response = await fetch(url, { method: 'POST', body: '{}' });
  return (await response.json()) as Status;
}
