/**
 * The PostgreSQL of Debian as a server of an operator, with its client programs: the embedded package has no `pg_dump`,
 * and that of Debian refuses servers of a newer version than its own.
 */
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { chooseUser, findPostgresFolder } from '../../tools/cluster/programs.ts';
import { runProgram } from '../../tools/harness/command-line.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { assertRunning, launch } from '../../tools/harness/launch.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';

const programs = await findPostgresFolder();

/** For tests that are skipped without it. */
export const noDebianPostgres = programs === undefined && 'needs the Debian package postgresql';

/** Everybody may connect as any user. The variables lead the client programs to it. */
export async function startDebianPostgres() {
  const folder = await makeTemporaryFolder('pos-debian-', 0o711);
  const user = await chooseUser(folder.path);
  const data = join(folder.path, 'data');
  await mkdir(data, { mode: 0o700 });
  if (user) await chown(data, user.uid, user.gid);
  const run = (name: string, ...words: string[]) =>
    launch([join(programs ?? '', name), ...words], {}, { user, cwd: data });
  const creation = run('initdb', '--auth=trust', '--username=postgres', '--no-sync', data);
  if ((await creation.exited) !== 0) throw new Error(creation.output());
  const port = String(await findFreePort());
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = run('postgres', '-D', data, '-p', port, ...settings.flatMap((one) => ['-c', one]));
  after(async () => {
    await server.end('SIGINT');
    await folder.remove();
  });
  const env = { PATH: `${programs}:${process.env.PATH}`, PGHOST: '127.0.0.1', PGPORT: port };
  await waitUntil('the server answers', async () => {
    await assertRunning(server);
    return (await runProgram(['pg_isready', '--quiet'], env)).code === 0;
  });
  return { env, urlOf: (name: string) => `postgres://payments@127.0.0.1:${port}/${name}` };
}
