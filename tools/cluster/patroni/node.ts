/** One node: Patroni, the PostgreSQL server that it runs, and the network that leads to both. */
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../harness/free-port.ts';
import { type Launched, launch } from '../../harness/launch.ts';
import { listProcesses } from '../../harness/processes.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import type { Programs, User } from '../programs.ts';
import { familyOf, findPostmaster, signalAll } from '../server-processes.ts';
import type { EtcdMember } from './etcd.ts';
import { type Relay, startRelay } from './relay.ts';
import { type NodeLayout, patroniSettings } from './settings.ts';

export type PatroniNode = Awaited<ReturnType<typeof createNode>>;

export async function createNode(
  programs: Programs,
  folder: string,
  user: User,
  { name, etcd }: { readonly name: string; readonly etcd: readonly EtcdMember[] },
) {
  const own = join(folder, name);
  await mkdir(own, { mode: 0o700 });
  const [postgresPort, restPort] = [await findFreePort(), await findFreePort()];
  const [postgres, rest, ...toEtcd] = await Promise.all(
    [postgresPort, restPort, ...etcd.map(({ clientPort }) => clientPort)].map(startRelay),
  );
  if (!postgres || !rest) throw new Error('a relay is missing');
  const layout = {
    name,
    postgresPort,
    restPort,
    dataFolder: join(own, 'data'),
    socketFolder: own,
    outerPostgresPort: postgres.port,
    outerRestPort: rest.port,
    etcdPorts: toEtcd.map(({ port }) => port),
  };
  const settingsFile = join(own, 'patroni.json');
  await writeFile(settingsFile, patroniSettings(layout, programs));
  if (user) for (const path of [own, settingsFile]) await chown(path, user.uid, user.gid);
  const start = () =>
    launch([programs.patroni, settingsFile], {}, { cwd: own, ...(user && { user }) });
  return { name, settingsFile, layout, ...controls(layout, start, [postgres, rest, ...toEtcd]) };
}

function controls(layout: NodeLayout, start: () => Launched, relays: readonly Relay[]) {
  let running: Launched | undefined;
  const patroniPids = async () =>
    running && !running.hasExited() ? familyOf(running.pid) : Promise.resolve([]);
  const postgresPids = async () => {
    const pid = await findPostmaster(layout.dataFolder);
    return pid === undefined ? [] : familyOf(pid);
  };
  const everyPid = async () => [...(await patroniPids()), ...(await postgresPids())];
  /** PostgreSQL alone, or the whole node, as if its machine lost its power. */
  const kill = async (what: 'postgres' | 'node') => {
    signalAll(what === 'node' ? await everyPid() : await postgresPids(), 'SIGKILL');
    if (what !== 'node') return;
    // What Patroni has just begun, such as a rewind, outlives it and holds its output open.
    await waitUntil(`${layout.name} is dead`, async () => {
      const left = (await listProcesses()).filter(({ command }) =>
        command.includes(layout.dataFolder),
      );
      signalAll(
        left.map(({ pid }) => pid),
        'SIGKILL',
      );
      return left.length === 0;
    });
    await running?.exited;
  };
  return {
    start: () => {
      running = start();
    },
    output: () => running?.output() ?? '',
    kill,
    /** All its processes stop, as those of a machine that hangs. */
    freeze: async () => signalAll(await everyPid(), 'SIGSTOP'),
    thaw: async () => signalAll(await everyPid(), 'SIGCONT'),
    network: {
      cut: () => {
        for (const relay of relays) relay.cut();
      },
      mend: () => {
        for (const relay of relays) relay.mend();
      },
    },
    close: async () => {
      await kill('node');
      for (const relay of relays) await relay.close();
    },
  };
}
