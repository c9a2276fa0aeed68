/** The end of a server: no request fails, whether its connection is new, waiting to be accepted, or kept. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createServices } from '../../../src/process/create-services.ts';
import { createLog } from '../../../src/process/log.ts';
import { serve } from '../../../src/process/serve.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { withoutKeepAlive } from '../../../tools/harness/service.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const { database } = await createTestDatabase();
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
});
const log = createLog('silent', { write: () => {} });

test('connections that wait to be accepted when the server stops are answered', async () => {
  const { port, stop } = await start();
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const clients = new Worker(requestInThread, {
    eval: true,
    workerData: { port, count: 50, connected },
  });
  const answered = once(clients, 'message');
  // Nothing is accepted meanwhile: the thread of the server waits here.
  assert.equal(Atomics.wait(connected, 0, 0, 20_000), 'ok');
  await Promise.all([stop(), answered]);
  assert.deepEqual(await answered, [{ 'HTTP/1.1 200 OK': 50 }]);
});

test('a server that stops says that it is not ready, and accepts connections while they arrive', async () => {
  const { port, stop } = await start();
  assert.equal((await ask(port)).status, 200);
  const stopping = stop();
  // As long as a proxy needs that asks every second, and half a second after a failure.
  const noticedAt = performance.now() + 1_500;
  while (performance.now() < noticedAt) {
    const { status, missing } = await ask(port);
    assert.deepEqual({ status, missing }, { status: 503, missing: ['the service is stopping'] });
  }
  await stopping;
  await assert.rejects(ask(port));
});

test('without connections a server waits for no proxy', async () => {
  const { stop } = await start();
  const startedAt = performance.now();
  await stop();
  assert.ok(performance.now() - startedAt < 2_000);
});

test('a kept connection can be used until a proxy has noticed, and the reply says that it ends', async () => {
  const { port, stop } = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  assert.deepEqual(await request(port, agent), { status: 200, connection: 'keep-alive' });
  const stopping = stop();
  // Longer than a client without a proxy is given, and a second before the end.
  await delay(1_500);
  assert.deepEqual(await request(port, agent), { status: 200, connection: 'close' });
  await stopping;
});

async function start() {
  const port = await findFreePort();
  const bootstrapped = { services, databaseWait: { done: Promise.resolve(), isDone: () => true } };
  const { stop } = await serve({ host: '127.0.0.1', port }, bootstrapped, log, {
    listMissing: () => [],
  });
  return { port, stop };
}

async function ask(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: withoutKeepAlive });
  const { missing } = (await response.json()) as { missing?: string[] };
  return { status: response.status, missing };
}

async function request(port: number, agent: Agent) {
  const sent = get({ port, agent, host: '127.0.0.1', path: '/healthz' });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, connection: response.headers.connection };
}

/** In a thread of its own: connects, sends a request on each connection, and reports how each ended. */
const requestInThread = `
const { connect } = require('node:net');
const { parentPort, workerData: { port, count, connected } } = require('node:worker_threads');
const ends = {};
let open = 0;
let ended = 0;
for (let index = 0; index < count; index += 1) {
  const socket = connect(port, '127.0.0.1');
  let reply = '';
  socket.on('connect', () => {
    socket.write('GET /healthz HTTP/1.1\\r\\nHost: service.test\\r\\nConnection: close\\r\\n\\r\\n');
    open += 1;
    if (open === count) {
      Atomics.store(connected, 0, 1);
      Atomics.notify(connected, 0);
    }
  });
  socket.on('data', (chunk) => { reply += chunk; });
  socket.on('error', (error) => { reply = error.code; });
  socket.on('close', () => {
    const end = reply.split('\\r\\n')[0];
    ends[end] = (ends[end] ?? 0) + 1;
    ended += 1;
    if (ended === count) parentPort.postMessage(ends);
  });
}
`;
