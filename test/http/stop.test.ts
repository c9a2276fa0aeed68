/** The end of a server: connections that the kernel has established but the process has not accepted yet. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createServices } from '../../src/create-services.ts';
import { createLog } from '../../src/log.ts';
import { serve } from '../../src/serve.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testMasterKeyHex } from '../support/test-service.ts';

const { database } = await createTestDatabase();
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
});
const log = createLog('silent', { write: () => {} });

test('connections that wait to be accepted when the server stops are answered', async () => {
  const port = await findFreePort();
  const bootstrapped = { services, databaseWait: { done: Promise.resolve(), isDone: () => true } };
  const { stop } = await serve({ host: '127.0.0.1', port }, bootstrapped, log, {
    listMissing: () => [],
  });
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
