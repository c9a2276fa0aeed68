import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Fastify from 'fastify';
import { ServiceError } from '../../src/domain/errors.ts';
import { limitConcurrency } from '../../src/http/concurrency-limit.ts';
import { sendError } from '../../src/http/error-reply.ts';
import { sendWebhookError } from '../../src/http/webhooks/webhook-error.ts';
import { assertRefused } from '../api/assertions.ts';
import { waitUntil } from '../support/service-process.ts';
import { callService } from '../support/test-service.ts';

const requestsMax = 3;
const lineMax = 2;
const lineBytesMax = 1_000;

test('beyond the bound a request is refused with Retry-After in the shape of its scope, and what is outside is served', async () => {
  const { baseUrl, handler } = await startBounded();
  const held = Array.from({ length: requestsMax }, () => callService(baseUrl, '/held'));
  await waitUntil('all places are taken', () => handler.waiting() === requestsMax);
  const [merchant, webhook, operator] = await Promise.all([
    callService(baseUrl, '/held'),
    callService(baseUrl, '/webhook', { body: {} }),
    callService(baseUrl, '/outside'),
  ]);
  assertRefused(merchant, 'SERVICE_UNAVAILABLE');
  assert.deepEqual(Object.keys(webhook.body), ['status', 'error']);
  for (const { status, headers } of [merchant, webhook]) {
    assert.deepEqual([status, headers.get('retry-after')], [503, '1']);
  }
  assert.equal(operator.status, 200);
  handler.release();
  assert.deepEqual(
    (await Promise.all(held)).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await callService(baseUrl, '/webhook', { body: {} })).status, 200);
});

test('who waits at the door is let in when a place is free', async () => {
  const { baseUrl, handler, line } = await startBounded();
  const held = Array.from({ length: requestsMax }, () => callService(baseUrl, '/held'));
  await waitUntil('all places are taken', () => handler.waiting() === requestsMax);
  const waiting = Array.from({ length: 2 }, () => callService(baseUrl, '/webhook', { body: {} }));
  await waitUntil('both wait', () => line() === 2);
  handler.release();
  assert.deepEqual(
    (await Promise.all([...held, ...waiting])).map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  assert.equal(line(), 0);
});

test('a line that is full sheds', async () => {
  const { baseUrl, handler, line } = await startBounded();
  const held = Array.from({ length: requestsMax + lineMax }, () => callService(baseUrl, '/held'));
  await waitUntil(
    'the line is full',
    () => handler.waiting() === requestsMax && line() === lineMax,
  );
  assertRefused(await callService(baseUrl, '/held'), 'SERVICE_UNAVAILABLE');
  handler.open();
  assert.deepEqual(
    (await Promise.all(held)).map(({ status }) => status),
    Array.from({ length: requestsMax + lineMax }, () => 200),
  );
});

test('a line that holds as many bytes as it may sheds', async () => {
  const { baseUrl, handler, line } = await startBounded();
  const held = Array.from({ length: requestsMax }, () => callService(baseUrl, '/held'));
  await waitUntil('all places are taken', () => handler.waiting() === requestsMax);
  const large = callService(baseUrl, '/webhook', { body: { text: 'x'.repeat(lineBytesMax) } });
  await waitUntil('it waits', () => line() === 1);
  const refused = await callService(baseUrl, '/webhook', { body: {} });
  assert.equal(refused.status, 503);
  handler.open();
  assert.equal((await large).status, 200);
  await Promise.all(held);
});

test('who is refused for another reason neither waits nor keeps those who wait from their turn', async () => {
  const { baseUrl, handler, line } = await startBounded();
  const held = Array.from({ length: requestsMax }, () => callService(baseUrl, '/held'));
  await waitUntil('all places are taken', () => handler.waiting() === requestsMax);
  const waiting = callService(baseUrl, '/webhook', { body: {} });
  await waitUntil('one waits', () => line() === 1);
  assertRefused(await callService(baseUrl, '/refused'), 'INVALID_TOKEN');
  assert.equal(line(), 1);
  handler.release();
  assert.equal((await waiting).status, 200);
  await Promise.all(held);
});

test('who leaves the line has the place of nobody', async () => {
  const { baseUrl, handler, line } = await startBounded();
  const held = Array.from({ length: requestsMax }, () => callService(baseUrl, '/held'));
  await waitUntil('all places are taken', () => handler.waiting() === requestsMax);
  const leaving = new AbortController();
  const gone = fetch(`${baseUrl}/held`, { signal: leaving.signal }).catch(() => undefined);
  await waitUntil('one waits', () => line() === 1);
  const staying = callService(baseUrl, '/webhook', { body: {} });
  await waitUntil('both wait', () => line() === 2);
  leaving.abort();
  await gone;
  await waitUntil('one has left', () => line() === 1);
  handler.release();
  assert.equal((await staying).status, 200);
  await Promise.all(held);
});

for (const stage of ['guard', 'handler'] as const) {
  test(`callers who leave while the ${stage} works leave no place taken`, async () => {
    const started = await startBounded();
    const { baseUrl } = started;
    const path = stage === 'guard' ? '/guarded' : '/held';
    for (let round = 0; round < 3; round += 1) {
      const leaving = new AbortController();
      const calls = Array.from({ length: requestsMax }, () =>
        fetch(`${baseUrl}${path}`, { signal: leaving.signal }).catch(() => undefined),
      );
      await waitUntil('all are inside', () => started[stage].waiting() === requestsMax);
      leaving.abort();
      await Promise.all(calls);
      await waitUntil('all are gone', () => started.connections() === 0);
      started[stage].release();
    }
    started.handler.open();
    started.guard.open();
    const replies = await Promise.all(
      Array.from({ length: requestsMax }, () => callService(baseUrl, '/held')),
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    );
  });
}

function refuse(): never {
  throw new ServiceError('INVALID_TOKEN');
}

async function startBounded() {
  const app = Fastify({ forceCloseConnections: true });
  const guard = createGate();
  const handler = createGate();
  const sockets = new Set<unknown>();
  let countWaiting = () => 0;
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  app.setErrorHandler(sendError);
  app.get('/outside', async () => ({}));
  await app.register(async (served) => {
    const admissionQueue = limitConcurrency(served, { requestsMax, lineMax, lineBytesMax });
    countWaiting = admissionQueue.countWaiting;
    served.get('/held', async () => handler.pass());
    served.get('/refused', { onRequest: async () => refuse() }, async () => ({}));
    served.get('/guarded', { onRequest: async () => guard.pass() }, async () => ({}));
    await served.register(async (webhooks) => {
      webhooks.setErrorHandler(sendWebhookError);
      webhooks.post('/webhook', async () => ({}));
    });
  });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  after(() => app.close());
  return { baseUrl, guard, handler, connections: () => sockets.size, line: () => countWaiting() };
}

/** Whoever comes waits until it is released; once open, nobody waits. */
function createGate() {
  let waiting: Array<() => void> = [];
  let isOpen = false;
  const release = () => {
    for (const go of waiting) go();
    waiting = [];
  };
  return {
    waiting: () => waiting.length,
    release,
    open: () => {
      isOpen = true;
      release();
    },
    pass: async () => {
      if (!isOpen) await new Promise<void>((go) => waiting.push(go));
      return {};
    },
  };
}
