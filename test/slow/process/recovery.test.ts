import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { isRunning, listChildren } from '../../../tools/harness/processes.ts';
import { readServerPid } from '../../../tools/harness/server-pid.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { orderBody } from '../../support/order-bodies.ts';
import {
  createTemporaryFolder,
  launchService,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';

const dataDir = await createTemporaryFolder();
/** Both files start with the process id of the server. */
const lockFiles = ['postgres/postmaster.pid', 'socket/.s.PGSQL.5432.lock'].map((name) =>
  join(dataDir, name),
);
let service = await start();
const credentials = readCredentials(service.output());
const orderIds: string[] = [];

beforeEach(async () => {
  if (service.child.exitCode !== null || service.child.signalCode !== null) service = await start();
  orderIds.push(await createOrder(service));
});

test('a database server ends with a service that was killed', async () => {
  const serverPid = await readServerPid(dataDir);
  assert.equal(await service.end('SIGKILL'), null);
  await waitUntil('the server has ended', async () => !(await isRunning(serverPid)));
});

test('a killed service whose database server still runs restarts with its data', async () => {
  const serverPid = await readServerPid(dataDir);
  // Without a keeper, nothing ends the server.
  process.kill(await findKeeper(service), 'SIGKILL');
  assert.equal(await service.end('SIGKILL'), null);
  assert.ok(await isRunning(serverPid), 'the server was left behind');

  service = await start();

  assert.notEqual(await readServerPid(dataDir), serverPid);
  assert.ok(!(await isRunning(serverPid)));
  await findAllOrders(service);
});

test('a killed service whose database server was killed too restarts with its data', async () => {
  const serverPid = await readServerPid(dataDir);
  await service.end('SIGKILL');
  process.kill(serverPid, 'SIGKILL');

  service = await start();

  await findAllOrders(service);
});

test('a database server killed before its service does not prevent the next start', async () => {
  const serverPid = await readServerPid(dataDir);
  service.child.kill('SIGSTOP');
  process.kill(serverPid, 'SIGKILL');
  await waitUntil('the server is dead', async () => !(await isRunning(serverPid)));
  await service.end('SIGKILL');

  service = await start();

  await findAllOrders(service);
});

test('stale lock files with the pid of another program are replaced, and that program is not killed', async () => {
  const texts = await readLockFiles();
  assert.equal(await service.end('SIGTERM'), 0);
  const { pid } = await spawnStranger('echo $$; exec sleep 60');
  await writeLockFiles(texts, pid);

  service = await start();

  assert.ok(await isRunning(pid));
  await findAllOrders(service);
});

test('stale lock files with the pid of a zombie are replaced', async () => {
  const texts = await readLockFiles();
  assert.equal(await service.end('SIGTERM'), 0);
  // The shell becomes a program that never reaps its child.
  const { pid } = await spawnStranger('sleep 0.1 & echo $!; exec sleep 60');
  await waitUntil('the child is a zombie', async () => !(await isRunning(pid)));
  process.kill(pid, 0);
  await writeLockFiles(texts, pid);

  service = await start();

  await findAllOrders(service);
});

test('a database server that dies is restarted; until then the service answers 503', async () => {
  const token = await getToken(service);
  const statuses: number[] = [];
  process.kill(await readServerPid(dataDir), 'SIGKILL');
  const startedAt = performance.now();
  while (!statuses.includes(503) || statuses.at(-1) !== 200) {
    assert.ok(performance.now() - startedAt < 10_000, `after 10 seconds: ${statuses}`);
    const reply = await service.call('/api/v3/create-order', { token, body: orderBody() });
    statuses.push(reply.status);
    if (reply.status === 200) orderIds.push(reply.body.order_id);
    else assertUnavailable(reply);
  }
  assert.equal((await service.call('/readyz')).status, 200);
  await findAllOrders(service);
});

test('killing a process of the database server causes at most some 503', async () => {
  const token = await getToken(service);
  const serverPid = await readServerPid(dataDir);
  const backends = await listConnections(serverPid);
  const create = async () => {
    const reply = await service.call('/api/v3/create-order', { token, body: orderBody() });
    if (reply.status === 200) orderIds.push(reply.body.order_id);
    else assertUnavailable(reply);
    return reply.status;
  };
  const underWay = Array.from({ length: 20 }, create);
  process.kill(backends[0] ?? assert.fail('there is no connection'), 'SIGKILL');
  await Promise.all(underWay);

  await waitUntil('the service serves again', async () => (await create()) === 200, 10);
  assert.equal(await readServerPid(dataDir), serverPid);
  await findAllOrders(service);
});

test('a cluster that a crash left incomplete is created again', async () => {
  const fresh = await createTemporaryFolder();
  await mkdir(join(fresh, 'postgres.new', 'base'), { recursive: true });
  await writeFile(join(fresh, 'postgres.new', 'PG_VERSION'), '18\n');
  await writeFile(join(fresh, 'master.key.new'), 'cut sho');

  const other = await startServiceProcess({ DATA_DIR: fresh });

  assert.equal((await other.call('/readyz')).status, 200);
  assert.equal(await other.end('SIGTERM'), 0);
});

test('a first start that is killed at any moment is completed by the next', async (t) => {
  const fresh = await createTemporaryFolder();
  // Before, during and after the statements of the superuser; only their lock file shows that they run.
  const pidFile = join(fresh, 'postgres', 'postmaster.pid');
  const isAtWork = () =>
    readFile(pidFile, 'utf8').then(
      (text) => text.startsWith('-'),
      () => false,
    );
  let kills = 0;
  for (const waitMs of [0, 0, 20, 40, 80, 120, 160, 200]) {
    const env = { DATA_DIR: fresh, PORT: String(await findFreePort()) };
    const { child, exited, output } = launchService(env);
    while (!(await isAtWork()) && !output().includes('is ready on')) await delay(1);
    await delay(waitMs);
    const isOver = output().includes('is ready on');
    child.kill(isOver ? 'SIGTERM' : 'SIGKILL');
    await exited;
    if (isOver) break;
    kills += 1;
  }
  t.diagnostic(`${kills} kills`);
  assert.ok(kills > 1);

  const other = await startServiceProcess({ DATA_DIR: fresh });

  assert.equal((await other.call('/readyz')).status, 200);
  assert.equal(await other.end('SIGTERM'), 0);
});

function start(): Promise<ServiceProcess> {
  return startServiceProcess({ DATA_DIR: dataDir });
}

function readCredentials(output: string) {
  const find = (name: string) => new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(output)?.[1];
  return { access_key: find('access_key'), access_secret: find('access_secret') };
}

async function getToken(from: ServiceProcess): Promise<string> {
  const reply = await from.call('/api/v3/generate-token', { body: credentials });
  assert.equal(reply.status, 200);
  return reply.body.token;
}

async function createOrder(at: ServiceProcess): Promise<string> {
  const token = await getToken(at);
  const reply = await at.call('/api/v3/create-order', { token, body: orderBody() });
  assert.equal(reply.status, 200);
  return reply.body.order_id;
}

/** Every order that was answered 200. */
async function findAllOrders(at: ServiceProcess): Promise<void> {
  const token = await getToken(at);
  for (const orderId of orderIds) {
    const reply = await at.call(`/api/v3/order?order_id=${orderId}`, { token });
    assert.equal(reply.status, 200, `${orderId} is lost`);
  }
}

function assertUnavailable(reply: Awaited<ReturnType<ServiceProcess['call']>>): void {
  assert.equal(reply.status, 503, JSON.stringify(reply.body));
  assert.equal(reply.headers.get('retry-after'), '1');
  assert.equal(reply.body.error.svc_error_code, 'SERVICE_UNAVAILABLE');
}

/** The server processes of client connections, recognised by their title. */
async function listConnections(serverPid: number): Promise<number[]> {
  const children = await listChildren(serverPid);
  return children
    .filter(({ command }) => /^postgres: payment_orders postgres/.test(command))
    .map(({ pid }) => pid);
}

/** The process that starts and ends the database server for the service. */
async function findKeeper(of: ServiceProcess): Promise<number> {
  const children = await listChildren(of.pid);
  const keeper = children.find(({ command }) => command.includes('database-keeper'));
  return (keeper ?? assert.fail('there is no keeper')).pid;
}

/** Runs as the database server's user, because the server checks whether the pid belongs to its own user. */
async function spawnStranger(script: string): Promise<{ child: ChildProcess; pid: number }> {
  const { uid, gid } = await stat(join(dataDir, 'postgres'));
  const child = spawn('sh', ['-c', script], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(process.getuid?.() === 0 && { uid, gid }),
  });
  after(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, pid: Number(line.toString()) };
}

function readLockFiles(): Promise<string[]> {
  return Promise.all(lockFiles.map((path) => readFile(path, 'utf8')));
}

/** Writes the files as a killed server leaves them, but with the pid of another process. */
async function writeLockFiles(texts: readonly string[], pid: number): Promise<void> {
  for (const [index, path] of lockFiles.entries()) {
    await writeFile(path, (texts[index] ?? '').replace(/^\d+/, String(pid)));
  }
}
