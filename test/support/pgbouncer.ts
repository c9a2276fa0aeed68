/** A real PgBouncer in front of the test cluster, where one is installed: in the PATH, or named by PGBOUNCER. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { findProgram } from '../../tools/harness/find-program.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { assertRunning, launch } from '../../tools/harness/launch.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { clusterAddress } from './test-database.ts';

const program = process.env.PGBOUNCER || findProgram('pgbouncer');

/** For tests that are skipped without it; `npm ci` cannot install it. Older ones do not know prepared statements. */
export const noPgBouncer =
  program === undefined || minorVersionOf(program) < 21
    ? 'PgBouncer 1.21 or newer is not installed'
    : false;

export type PgBouncer = {
  /** The URL of a test database through PgBouncer. */
  readonly urlOf: (testUrl: string) => string;
};

export async function startPgBouncer(settings: Readonly<Record<string, string | number>>) {
  const { host, port: serverPort, user } = clusterAddress();
  const folder = await makeTemporaryFolder('pgbouncer-', 0o711);
  const port = await findFreePort();
  // It refuses to run as root, and the socket of the cluster is for the user of the server only.
  const { uid, gid } = statSync(host);
  const lines = [
    '[databases]',
    `* = host=${host} port=${serverPort}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'default_pool_size = 4',
    'pool_mode = transaction',
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
  ];
  const file = join(folder.path, 'pgbouncer.ini');
  await writeFile(file, `${lines.join('\n').replace('* = host', `* = user=${user} host`)}\n`);
  await chmod(file, 0o644);
  await chown(folder.path, uid, gid);
  const launched = launch([program ?? '', file], {}, { user: { uid, gid } });
  after(async () => {
    await launched.end('SIGKILL');
    await folder.remove();
  });
  await waitUntil('PgBouncer listens', async () => {
    await assertRunning(launched);
    return isListening(port);
  });
  return {
    urlOf: (testUrl: string) => {
      const { pathname } = new URL(testUrl.replace('@/', '@host/'));
      return `postgres://${user}@127.0.0.1:${port}${pathname}`;
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

function minorVersionOf(file: string): number {
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return Number(/^PgBouncer 1\.(\d+)/.exec(stdout)?.[1] ?? 0);
}
