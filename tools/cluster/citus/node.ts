/** One PostgreSQL server with the Citus extension, as a process of this program. */
import { appendFile, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../harness/free-port.ts';
import { assertRunning, type Launched, launch } from '../../harness/launch.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import type { User } from '../programs.ts';
import { familyOf, signalAll, withServer } from '../server-processes.ts';

export type CitusNode = Awaited<ReturnType<typeof createNode>>;

/**
 * A commit on several workers is prepared on each of them first. What a killed node left prepared keeps its locks until
 * the coordinator ends it, which it tries every 60 s unless told otherwise.
 */
const settings = {
  shared_preload_libraries: `'citus'`,
  listen_addresses: `'127.0.0.1'`,
  max_connections: 200,
  max_prepared_transactions: 200,
  shared_buffers: '64MB',
  wal_level: 'logical',
  // With the SQLSTATE, by which the service tells what an error means.
  log_line_prefix: `'%m [%p] %e '`,
  'citus.shard_count': 8,
  'citus.recover_2pc_interval': `'5s'`,
  'citus.node_connection_timeout': `'3s'`,
};

export async function createNode(postgresFolder: string, folder: string, user: User, name: string) {
  const own = join(folder, name);
  await mkdir(own, { mode: 0o700 });
  if (user) await chown(own, user.uid, user.gid);
  const run = (program: string, ...words: string[]) =>
    launch([join(postgresFolder, program), ...words], {}, { cwd: own, ...(user && { user }) });
  const data = join(own, 'data');
  const locale = ['--locale=C.UTF-8', '--encoding=UTF8'];
  const made = run('initdb', '-D', data, '-U', 'postgres', '--auth=trust', ...locale);
  if ((await made.exited) !== 0) throw new Error(made.output());
  const postgresPort = await findFreePort();
  const lines = Object.entries({
    ...settings,
    port: postgresPort,
    unix_socket_directories: `'${own}'`,
  }).map(([key, value]) => `${key} = ${value}\n`);
  await appendFile(join(data, 'postgresql.conf'), lines.join(''));
  return {
    name,
    postgresPort,
    ...controls(() => run('postgres', '-D', data), postgresPort),
  };
}

function controls(launchServer: () => Launched, port: number) {
  const past: string[] = [];
  let running: Launched | undefined;
  const signal = async (name: NodeJS.Signals) => {
    if (!running || running.hasExited()) return;
    // Stopped first, it starts no process that would be missing from the list.
    signalAll([running.pid], 'SIGSTOP');
    signalAll(await familyOf(running.pid), name);
  };
  const endedBy = async (end: () => Promise<unknown>) => {
    await end();
    await running?.exited;
    past.push(running?.output() ?? '');
    running = undefined;
  };
  return {
    /** Resolves when it accepts connections. */
    start: async () => {
      const started = launchServer();
      running = started;
      await waitUntil('the server accepts connections', async () => {
        await assertRunning(started);
        return accepts(port);
      });
    },
    /** Ends it as `pg_ctl stop -m fast` does: sessions are closed, nothing is left to recover. */
    stop: () => endedBy(async () => running?.end('SIGINT')),
    /** All its processes, as if its machine lost its power. */
    kill: () => endedBy(() => signal('SIGKILL')),
    /** All its processes stop, as those of a machine that hangs. */
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    output: () => [...past, running?.output() ?? ''].join(''),
  };
}

async function accepts(port: number): Promise<boolean> {
  return withServer(port, 'postgres', async () => true).catch(() => false);
}
