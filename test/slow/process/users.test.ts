/** Users of the processes: started as root, neither the service nor its database server stays root. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { runCommand } from '../../../tools/harness/command-line.ts';
import { isRunning, listChildren } from '../../../tools/harness/processes.ts';
import { baseEnv, projectDir } from '../../../tools/harness/project.ts';
import { readServerPid } from '../../../tools/harness/server-pid.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { startDatabaseProxy } from '../../support/database-proxy.ts';
import { orderBody } from '../../support/order-bodies.ts';
import {
  createTemporaryFolder,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
const skip = isRoot ? false : 'only root can become other users';
const secrets = ['master.key', 'database.password', 'demo.env'];

describe('started as root', { skip }, async () => {
  // One data folder for the tests that only look at it, each where the one before left off: to make one takes seconds.
  const dataDir = join(await createTemporaryFolder(), 'data');
  let service: ServiceProcess;

  test('the service, its workers and the database are two users without privileges', async () => {
    service = await startServiceProcess({ DATA_DIR: dataDir, WORKERS: '2' });
    const serverPid = await readServerPid(dataDir);
    const server = await readUser(serverPid);
    const own = await readUser(service.pid);
    assert.ok(own.uid !== 0 && server.uid !== 0 && own.uid !== server.uid);
    for (const child of await listChildren(service.pid)) {
      const isWorker = child.command.includes('src/main.ts');
      assert.equal((await readUser(child.pid)).uid, isWorker ? own.uid : server.uid);
    }
    assert.doesNotMatch(service.output(), /keeps running as root/);

    for (const name of secrets) {
      const { uid, mode } = await stat(join(dataDir, name));
      assert.deepEqual([uid, mode & 0o777], [own.uid, 0o600]);
      await assert.rejects(runAs(server, 'cat', join(dataDir, name)), /Permission denied/);
    }
    await assert.rejects(runAs(own, 'ls', join(dataDir, 'postgres')), /Permission denied/);
    // Only these two users can use the socket.
    await assert.rejects(runAs({ uid: 65533, gid: 65533 }, 'ls', join(dataDir, 'socket')));

    process.kill(serverPid, 'SIGKILL');
    await waitUntil('it serves again', async () => {
      const { status } = await service.call('/readyz');
      return status === 200 && (await readServerPid(dataDir).catch(() => serverPid)) !== serverPid;
    });
    assert.equal((await readUser(await readServerPid(dataDir))).uid, server.uid);
  });

  test('the command line works for root and the user of the service, and for no other user', async () => {
    const own = await readUser(service.pid);
    assert.equal((await runCommand(['verify'], { DATA_DIR: dataDir })).code, 0);
    const words = [join(projectDir, 'src/cli/main.ts'), 'account', 'list', '--json'];
    const { stdout } = await runAs(own, process.execPath, words, { DATA_DIR: dataDir });
    assert.equal(JSON.parse(stdout).accounts.length, 1);
    await assert.rejects(
      runAs({ uid: 65533, gid: 65533 }, process.execPath, words, { DATA_DIR: dataDir }),
      /may not be used by this user/,
    );
  });

  test('the next start finds its users, also in a folder that root has copied, and a rotated master key keeps its owner', async () => {
    const first = service;
    const own = await readUser(first.pid);
    const serverPid = await readServerPid(dataDir);
    const rotated = await runCommand(['keys', 'rotate', 'master'], { DATA_DIR: dataDir });
    assert.equal(rotated.code, 0, rotated.stderr);
    assert.equal((await stat(join(dataDir, 'master.key'))).uid, own.uid);
    await tryToken(first, readCredentials(first));
    assert.equal(await first.end('SIGTERM'), 0);
    assert.ok(!(await isRunning(serverPid)));

    for (const name of secrets) await chown(join(dataDir, name), 0, 0);
    await chown(dataDir, 0, 0);
    await chmod(dataDir, 0o700);

    const second = await startServiceProcess({ DATA_DIR: dataDir });
    assert.deepEqual(await readUser(second.pid), own);
    for (const name of secrets) assert.equal((await stat(join(dataDir, name))).uid, own.uid, name);
    await tryToken(second, readCredentials(first));
    assert.equal(await second.end('SIGTERM'), 0);
  });

  for (const workers of [1, 2]) {
    test(`a privileged port works, and no serving process stays root, with WORKERS=${workers}`, async (t) => {
      const port = await findRootPort();
      if (port === undefined) return t.skip('here every port is for everybody');
      const service = await startServiceProcess({
        DATA_DIR: dataDir,
        WORKERS: String(workers),
        PORT: String(port),
      });
      await waitUntil('nobody who serves is root', async () => {
        const children = await listChildren(service.pid);
        const serving = children.filter(({ command }) => command.includes('src/main.ts'));
        const pids = workers === 1 ? [service.pid] : serving.map(({ pid }) => pid);
        const users = await Promise.all(pids.map(readUser));
        return pids.length === workers && users.every(({ uid }) => uid !== 0);
      });
      // Only a root process could start another worker on this port.
      const { uid } = await readUser(service.pid);
      assert.equal(uid === 0, workers > 1);
      assert.equal(
        /keeps running as root, because only root may start workers/.test(service.output()),
        workers > 1,
      );
      assert.equal((await service.call('/readyz')).status, 200);
      assert.equal(await service.end('SIGTERM'), 0);
    });
  }

  test('a folder with foreign files keeps its owner, and the service logs that it stays root', async () => {
    const dataDir = await createTemporaryFolder();
    await writeFile(join(dataDir, 'letter.txt'), 'Dear Sir');
    const service = await startServiceProcess({ DATA_DIR: dataDir });
    assert.equal((await readUser(service.pid)).uid, 0);
    assert.match(service.output(), /keeps running as root, because .+ holds files of others/);
    assert.equal((await stat(dataDir)).uid, 0);
    assert.notEqual((await readUser(await readServerPid(dataDir))).uid, 0);
  });

  test('a folder of an ordinary user keeps its owner, and everything runs as that user', async () => {
    const dataDir = join(await createTemporaryFolder(), 'data');
    const user = await findUser('nobody');
    await mkdir(dataDir, { mode: 0o700 });
    await chown(dataDir, user.uid, user.gid);
    const service = await startServiceProcess({ DATA_DIR: dataDir });
    assert.equal((await readUser(service.pid)).uid, user.uid);
    assert.equal((await readUser(await readServerPid(dataDir))).uid, user.uid);
    assert.equal(await service.end('SIGTERM'), 0);
    for (const name of await readdir(dataDir)) {
      assert.equal((await stat(join(dataDir, name))).uid, user.uid, name);
    }
    const asThemselves = await startServiceProcess({ DATA_DIR: dataDir }, { user });
    assert.equal((await asThemselves.call('/readyz')).status, 200);
  });

  test('with a password in DATABASE_URL the service and its workers become another user, also if only root can read the secrets', async () => {
    // Over TCP and with a password. This server needs none, but the service does not know that.
    await startDatabaseProxy();
    const { url: local } = await createTestDatabase();
    const found = new URL(local.replace('@/', '@localhost/'));
    const url = `postgres://postgres:any@127.0.0.1:${found.searchParams.get('port')}${found.pathname}`;
    const secrets = await createTemporaryFolder();
    const keep = async (name: string, secret: string) => {
      await writeFile(join(secrets, name), secret, { mode: 0o400 });
      return join(secrets, name);
    };
    const files = {
      DATABASE_URL_FILE: await keep('url', url),
      MASTER_KEY_FILE: await keep('key', testMasterKeyHex),
    };
    for (const workers of [1, 2]) {
      const service = await startServiceProcess({ ...files, WORKERS: String(workers) });
      const { uid } = await readUser(service.pid);
      assert.notEqual(uid, 0);
      for (const { pid } of await listChildren(service.pid)) {
        assert.equal((await readUser(pid)).uid, uid);
      }
      assert.equal((await service.call('/readyz')).status, 200);
      assert.equal(await service.end('SIGTERM'), 0);
    }
  });

  test('with a DATABASE_URL that names a socket the service stays root, and logs why', async () => {
    const { url } = await createTestDatabase();
    const env = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex };
    const service = await startServiceProcess(env);
    assert.equal((await readUser(service.pid)).uid, 0);
    assert.match(service.output(), /keeps running as root, because DATABASE_URL names a socket/);
  });
});

test('started by an ordinary user everything runs as that user, and the socket requires a password', {
  skip,
}, async () => {
  const user = await findUser('nobody');
  const dataDir = await createTemporaryFolder();
  await chown(dataDir, user.uid, user.gid);
  const service = await startServiceProcess({ DATA_DIR: dataDir }, { user });
  assert.equal((await readUser(service.pid)).uid, user.uid);
  assert.equal((await readUser(await readServerPid(dataDir))).uid, user.uid);
  assert.equal((await stat(join(dataDir, 'database.password'))).mode & 0o777, 0o600);
  assert.equal((await stat(join(dataDir, 'socket'))).mode & 0o077, 0);
  await tryToken(service, readCredentials(service));
  assert.equal(await service.end('SIGTERM'), 0);
});

type User = { readonly uid: number; readonly gid: number };

/** Asserts that all four ids of the process are equal, and that it has no groups or capabilities unless it is root. */
async function readUser(pid: number): Promise<User> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) =>
    (new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(status)?.[1] ?? '').trim().split(/\s+/);
  const [uids, gids] = [new Set(read('Uid')), new Set(read('Gid'))];
  assert.deepEqual([uids.size, gids.size], [1, 1]);
  const uid = Number([...uids][0]);
  if (uid !== 0) {
    assert.deepEqual(read('Groups'), ['']);
    for (const set of ['CapPrm', 'CapEff', 'CapAmb']) assert.match(read(set)[0] ?? '', /^0+$/);
  }
  return { uid, gid: Number([...gids][0]) };
}

async function findUser(name: string): Promise<User> {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = (line ?? assert.fail(`there is no ${name}`)).split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

async function findRootPort(): Promise<number | undefined> {
  const setting = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
  const portMax = Number(await readFile(setting, 'utf8')) - 1;
  for (let port = portMax; port > portMax - 100 && port > 0; port -= 1) {
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    probe.close();
    if (isFree) return port;
  }
  return undefined;
}

function runAs(
  user: User,
  program: string,
  words: string | readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  return promisify(execFile)(program, [words].flat(), {
    ...user,
    cwd: '/',
    env: { ...baseEnv, ...env },
  });
}

function readCredentials(service: ServiceProcess) {
  const find = (name: string) => new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(service.output())?.[1];
  return { access_key: find('access_key'), access_secret: find('access_secret') };
}

async function tryToken(service: ServiceProcess, credentials: object): Promise<void> {
  const { status, body } = await service.call('/api/v3/generate-token', { body: credentials });
  assert.equal(status, 200);
  const order = { token: body.token, body: orderBody() };
  assert.equal((await service.call('/api/v3/create-order', order)).status, 200);
}
