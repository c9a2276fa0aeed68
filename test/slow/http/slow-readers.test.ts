/** Clients that do not read their reply, over real sockets. Contract 8.2. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { limitConcurrency } from '../../../src/http/concurrency-limit.ts';
import { closeSlowReaders } from '../../../src/http/slow-readers.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { callService } from '../../support/test-service.ts';

const slots = 3;
const writeStallMsMax = 400;
const pauseBytes = 2 * 1024 * 1024;
/** More than the buffers of the system for one connection. */
const large = Buffer.alloc(16 * 1024 * 1024, 'x');

test('replies that are not read hold no slot', async () => {
  const { port, baseUrl } = await startLimited({ writeStallMsMax: 60_000 });
  const readers = await Promise.all(Array.from({ length: 4 * slots }, () => sendAndNotRead(port)));
  assert.equal((await callService(baseUrl, '/small')).status, 200);
  assert.ok(readers.every((socket) => !socket.destroyed));
});

test('a connection whose client reads nothing for the limit is closed', async () => {
  const { port, connections } = await startLimited({ writeStallMsMax });
  await sendAndNotRead(port);
  await waitUntil('it is closed', () => connections() === 0);
});

test('a client that reads slowly gets the whole reply', async () => {
  const { port } = await startLimited({ writeStallMsMax: 1_500 });
  const socket = await sendAndNotRead(port);
  const startMs = performance.now();
  let bytes = 0;
  while (bytes < large.length) {
    const chunk: Buffer | null = socket.read();
    bytes += chunk?.length ?? 0;
    if (chunk) await delay(2);
    else await once(socket, 'readable');
    // Longer in all than the limit, and shorter each time.
    if (Math.floor(bytes / pauseBytes) > Math.floor((bytes - (chunk?.length ?? 0)) / pauseBytes)) {
      await delay(300);
    }
  }
  assert.ok(performance.now() - startMs > 2_000, 'it took longer than the limit');
});

test('a reply that is produced slowly is not the fault of its reader', async () => {
  const { baseUrl } = await startLimited({ writeStallMsMax });
  const reply = await fetch(`${baseUrl}/pausing`);
  assert.equal(await reply.text(), 'first,second');
});

test('an idle connection is closed after its own limit', async () => {
  const { port, connections } = await startLimited({ writeStallMsMax });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  await waitUntil('it is closed', () => connections() === 0);
});

test('of too many replies that are not read, the oldest connection is closed', async () => {
  const { port } = await startLimited({ writeStallMsMax: 60_000, unreadRepliesMax: 5 });
  const readers: Socket[] = [];
  for (let count = 0; count < 6; count += 1) readers.push(await sendAndNotRead(port));
  const [oldest, ...others] = readers;
  oldest?.resume();
  await waitUntil('the oldest is closed', () => oldest?.destroyed === true);
  assert.ok(others.every((socket) => !socket.destroyed));
});

/** Resolves when the reply has begun. */
async function sendAndNotRead(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  after(() => socket.destroy());
  socket.on('error', () => {});
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'readable');
  return socket;
}

async function startLimited(parts: Parameters<typeof closeSlowReaders>[1]) {
  const app = Fastify({ forceCloseConnections: true, keepAliveTimeout: 500 });
  let open = 0;
  app.server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => {
      open -= 1;
    });
  });
  closeSlowReaders(app, parts);
  limitConcurrency(app, { concurrentRequestsMax: slots, queueMax: 0, queueBytesMax: 0 });
  app.get('/small', async () => ({}));
  app.get('/large', async (_request, reply) => reply.send(large));
  app.get('/pausing', async (_request, reply) => reply.send(Readable.from(pausing())));
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  after(() => app.close());
  return { baseUrl, port: Number(new URL(baseUrl).port), connections: () => open };
}

async function* pausing(): AsyncGenerator<string> {
  yield 'first,';
  await delay(3 * writeStallMsMax);
  yield 'second';
}
