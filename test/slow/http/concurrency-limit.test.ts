/** The concurrency limit and its admission queue, over real sockets. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Fastify from 'fastify';
import { ServiceError } from '../../../src/domain/errors.ts';
import { limitConcurrency } from '../../../src/http/concurrency-limit.ts';
import { sendError } from '../../../src/http/error-reply.ts';
import { sendWebhookError } from '../../../src/http/webhooks/webhook-error.ts';
import { withoutKeepAlive } from '../../../tools/harness/service.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { assertRefused } from '../../api/assertions.ts';
import { callService } from '../../support/test-service.ts';

const requestsMax = 3;
const queueMax = 2;
const queueBytesMax = 1_000;

test('beyond the limit a request is refused with Retry-After and the error body of its scope, and routes outside are served', async () => {
  const { baseUrl, handler } = await startLimited();
  const held = Array.from({ length: requestsMax }, () => callService(baseUrl, '/held'));
  await waitUntil('all slots are taken', () => handler.waiting() === requestsMax);
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

test('a queued request is admitted when a slot is free', async () => {
  const { baseUrl, handler, queued } = await startLimited();
  const held = Array.from({ length: requestsMax }, () => callService(baseUrl, '/held'));
  await waitUntil('all slots are taken', () => handler.waiting() === requestsMax);
  const waiting = Array.from({ length: 2 }, () => callService(baseUrl, '/webhook', { body: {} }));
  await waitUntil('both are queued', () => queued() === 2);
  handler.release();
  assert.deepEqual(
    (await Promise.all([...held, ...waiting])).map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  assert.equal(queued(), 0);
});

test('a request is shed when the queue is full', async () => {
  const { baseUrl, handler, queued } = await startLimited();
  const held = Array.from({ length: requestsMax + queueMax }, () => callService(baseUrl, '/held'));
  await waitUntil(
    'the queue is full',
    () => handler.waiting() === requestsMax && queued() === queueMax,
  );
  assertRefused(await callService(baseUrl, '/held'), 'SERVICE_UNAVAILABLE');
  handler.open();
  assert.deepEqual(
    (await Promise.all(held)).map(({ status }) => status),
    Array.from({ length: requestsMax + queueMax }, () => 200),
  );
});

test('a request is shed when the queued bodies reach the limit in bytes', async () => {
  const { baseUrl, handler, queued } = await startLimited();
  const held = Array.from({ length: requestsMax }, () => callService(baseUrl, '/held'));
  await waitUntil('all slots are taken', () => handler.waiting() === requestsMax);
  const large = callService(baseUrl, '/webhook', { body: { text: 'x'.repeat(queueBytesMax) } });
  await waitUntil('it is queued', () => queued() === 1);
  const refused = await callService(baseUrl, '/webhook', { body: {} });
  assert.equal(refused.status, 503);
  handler.open();
  assert.equal((await large).status, 200);
  await Promise.all(held);
});

test('a request that is refused for another reason neither waits nor delays the queue', async () => {
  const { baseUrl, handler, queued } = await startLimited();
  const held = Array.from({ length: requestsMax }, () => callService(baseUrl, '/held'));
  await waitUntil('all slots are taken', () => handler.waiting() === requestsMax);
  const waiting = callService(baseUrl, '/webhook', { body: {} });
  await waitUntil('one is queued', () => queued() === 1);
  assertRefused(await callService(baseUrl, '/refused'), 'INVALID_TOKEN');
  assert.equal(queued(), 1);
  handler.release();
  assert.equal((await waiting).status, 200);
  await Promise.all(held);
});

test('a queued caller that disconnects takes no slot', async () => {
  const { baseUrl, handler, queued } = await startLimited();
  const held = Array.from({ length: requestsMax }, () => callService(baseUrl, '/held'));
  await waitUntil('all slots are taken', () => handler.waiting() === requestsMax);
  const leaving = new AbortController();
  const gone = fetch(`${baseUrl}/held`, { signal: leaving.signal }).catch(() => undefined);
  await waitUntil('one is queued', () => queued() === 1);
  const staying = callService(baseUrl, '/webhook', { body: {} });
  await waitUntil('both are queued', () => queued() === 2);
  leaving.abort();
  await gone;
  await waitUntil('one has left', () => queued() === 1);
  handler.release();
  assert.equal((await staying).status, 200);
  await Promise.all(held);
});

for (const stage of ['guard', 'handler'] as const) {
  test(`callers that disconnect while the ${stage} runs free their slots when it ends`, async () => {
    const started = await startLimited();
    const { baseUrl } = started;
    const path = stage === 'guard' ? '/guarded' : '/held';
    for (let round = 0; round < 3; round += 1) {
      const leaving = new AbortController();
      const calls = Array.from({ length: requestsMax }, () =>
        fetch(`${baseUrl}${path}`, { signal: leaving.signal }).catch(() => undefined),
      );
      await waitUntil('all are admitted', () => started[stage].waiting() === requestsMax);
      leaving.abort();
      await Promise.all(calls);
      await waitUntil('all are gone', () => started.connections() === 0);
      // Otherwise callers could start any number of handlers by leaving.
      if (stage === 'handler') {
        const beyond = await callService(baseUrl, '/held', { headers: withoutKeepAlive });
        assertRefused(beyond, 'SERVICE_UNAVAILABLE');
      }
      started[stage].release();
      await waitUntil('the slots are free', () => started.handler.waiting() === 0);
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

async function startLimited() {
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
    const admissionQueue = limitConcurrency(served, {
      concurrentRequestsMax: requestsMax,
      queueMax,
      queueBytesMax,
    });
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
  return { baseUrl, guard, handler, connections: () => sockets.size, queued: () => countWaiting() };
}

/** Calls wait until they are released; once it is open, they pass. */
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
