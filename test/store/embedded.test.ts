import assert from 'node:assert/strict';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import {
  findPrograms,
  initialiseCluster,
  startServer,
  waitUntilReady,
} from '../../src/store/embedded/postgres-process.ts';
import { chooseServerUser, giveTo } from '../../src/store/embedded/server-user.ts';
import { createTemporaryFolder } from '../support/service-process.ts';

/** As when the whole project was cloned by root under /root or into a `mktemp -d`. */
test('programs and data in a folder closed to others make and run a server, also as root', async () => {
  const closed = await createTemporaryFolder();
  const found = await findPrograms();
  const native = join(closed, 'native');
  await cp(dirname(dirname(found.postgres)), native, { recursive: true, verbatimSymlinks: true });
  const programs = {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
  };
  const directory = join(closed, 'postgres');
  await mkdir(directory, { mode: 0o700 });
  const user = await chooseServerUser(directory, [directory, programs.postgres]);
  await giveTo(user, directory);

  await initialiseCluster(programs, user, directory);
  const server = startServer(programs, user, directory, directory, () => {});
  await waitUntilReady(server, directory);
  process.kill(server.pid, 'SIGINT');
  await server.ended;
  assert.equal(process.getuid?.() === 0, user.ids !== undefined);
});
