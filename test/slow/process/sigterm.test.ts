import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import type { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createAccount } from '../../../src/use-cases/accounts/create-account.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { isRunning, listChildren } from '../../../tools/harness/processes.ts';
import { findServerPid, readServerPid } from '../../../tools/harness/server-pid.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { keepConnection, type Outcome, post } from '../../support/kept-connection.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import {
  createTemporaryFolder,
  launchService,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const endMsMax = 10_000;
const dataDir = await createTemporaryFolder();
const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
const { database, url } = await createTestDatabase();
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
});
const { accountId } = await createAccount(services, { name: 'Shop' }, commandLine);
const { token } = await issueMerchantToken(services, accountId);

for (const workers of [1, 2]) {
  test(`SIGTERM under load drops no request and loses no order, with WORKERS=${workers}`, async () => {
    const service = await startExternal(workers);
    const outcomes: Outcome[] = [];
    const clients = Array.from({ length: 32 }, () => createOrdersUntilRefused(service, outcomes));
    await waitUntil('the load is on', () => outcomes.length > 300);

    const startedAt = performance.now();
    assert.equal(await service.end('SIGTERM'), 0);
    assert.ok(performance.now() - startedAt < endMsMax);
    await Promise.all(clients);

    const answered = outcomes.filter((outcome) => outcome.kind === 'answered');
    const broken = outcomes.filter((outcome) => outcome.kind === 'broken');
    assert.deepEqual(broken, [], 'every request that was sent has a whole answer');
    assert.deepEqual(new Set(answered.map(({ status }) => status)), new Set([200]));
    await findInDatabase(answered.map(({ body }) => JSON.parse(body).order_id));
  });
}

describe('SIGTERM', { concurrency: true }, () => {
  test('answers requests in flight and then exits, however often it is sent', async () => {
    const service = await startExternal();
    const idle = await openConnection(service);
    await exchange(idle, createRequest());
    const begun = await openConnection(service);
    const text = createRequest();
    begun.write(text.slice(0, -20));
    const exited = service.end('SIGTERM');
    await waitUntil('it is shutting down', () => service.output().includes('"shutting down"'));
    service.child.kill('SIGTERM');
    service.child.kill('SIGINT');

    const isLast = (answer: string) => /\r\nconnection: close\r\n/i.test(answer);
    // Connections are kept until the port is closed, a moment later.
    for (let answer = ''; !isLast(answer); ) {
      answer = await exchange(idle, createRequest());
      assert.match(answer, /^HTTP\/1\.1 200 /);
    }
    const answer = await exchange(begun, text.slice(-20));
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.ok(isLast(answer));
    assert.equal(await exited, 0);
  });

  test('does not wait for a request that never ends', async () => {
    const service = await startExternal();
    const socket = await openConnection(service);
    socket.write(createRequest().slice(0, -20));
    const startedAt = performance.now();
    assert.equal(await service.end('SIGTERM'), 0);
    assert.ok(performance.now() - startedAt < endMsMax);
  });
});

test('SIGTERM to npm start ends the service and its database server cleanly', async () => {
  const { service, pids } = await startByNpm();
  service.child.kill('SIGTERM');
  await service.exited;
  await assertEnded(service, pids);
});

test('Ctrl-C on npm start ends the service and its database server cleanly', async () => {
  const { service, pids } = await startByNpm();
  // A terminal sends SIGINT to the whole foreground process group.
  process.kill(-service.pid, 'SIGINT');
  await service.exited;
  await assertEnded(service, pids);
});

test('SIGTERM during the start leaves no database server running', async () => {
  const PORT = String(await findFreePort());
  const { child, exited } = launchService({ DATA_DIR: dataDir, PORT });
  await waitUntil(
    'its database server starts',
    async () => (await findServerPid(dataDir)) !== undefined,
  );
  const serverPid = await readServerPid(dataDir);
  child.kill('SIGTERM');
  await exited;
  await waitUntil('the server has ended', async () => !(await isRunning(serverPid)), 5);
});

function startExternal(workers = 1): Promise<ServiceProcess> {
  return startServiceProcess({
    DATABASE_URL: url,
    MASTER_KEY: testMasterKeyHex,
    WORKERS: String(workers),
  });
}

async function createOrdersUntilRefused(service: ServiceProcess, outcomes: Outcome[]) {
  const agent = keepConnection();
  const deadline = performance.now() + 30_000;
  for (;;) {
    const outcome = await createOrder(service, agent);
    outcomes.push(outcome);
    if (outcome.kind !== 'answered' || performance.now() > deadline) break;
  }
  agent.destroy();
}

function createOrder({ port }: ServiceProcess, agent: Agent): Promise<Outcome> {
  const headers = { authorization: `Bearer ${token}` };
  const body = JSON.stringify(orderBody());
  return post(agent, { port, path: '/api/v3/create-order', headers, body });
}

async function findInDatabase(orderIds: readonly string[]): Promise<void> {
  const { rows } = await database.query<{ order_id: string }>({
    text: 'select order_id from orders where account_id = $1',
    values: [accountId],
  });
  const saved = new Set(rows.map((row) => row.order_id));
  assert.deepEqual(
    orderIds.filter((orderId) => !saved.has(orderId)),
    [],
  );
}

async function openConnection(service: ServiceProcess): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1');
  after(() => socket.destroy());
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

/** Sends the text and resolves with the complete answer. */
async function exchange(socket: Socket, text: string): Promise<string> {
  let answer = '';
  const listen = (chunk: Buffer) => {
    answer += chunk.toString('utf8');
  };
  socket.on('data', listen);
  socket.write(text);
  await waitUntil(
    'the answer is whole',
    () => answer.endsWith('}\n') || socket.readyState !== 'open',
  );
  socket.off('data', listen);
  return answer;
}

function createRequest(): string {
  const body = JSON.stringify(orderBody());
  return [
    'POST /api/v3/create-order HTTP/1.1',
    'host: service.test',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

async function startByNpm() {
  const service = await startServiceProcess(
    { DATA_DIR: dataDir },
    { command: ['npm', 'start'], ownGroup: true },
  );
  const children = (await listChildren(service.pid)).map(({ pid }) => pid);
  assert.equal(children.length, 1, 'npm runs the service and nothing else');
  return { service, pids: [...children, await readServerPid(dataDir)] };
}

/** A server that ended cleanly removes its lock file. */
async function assertEnded(service: ServiceProcess, pids: readonly number[]): Promise<void> {
  for (const pid of pids) assert.ok(!(await isRunning(pid)), `process ${pid} still runs`);
  assert.ok(!(await exists(pidFile)));
  await assert.rejects(service.call('/healthz'));
  assert.doesNotMatch(service.output(), /fatal/i);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
