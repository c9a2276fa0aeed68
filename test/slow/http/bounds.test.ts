/** The bounds of routes, over real sockets: how many calls of one account run at a time, wait and are refused. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { type BoundName, bounds, createBounds } from '../../../src/http/bounds.ts';
import { sendError } from '../../../src/http/error-reply.ts';
import { watchWork } from '../../../src/http/held-slots.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { callService } from '../../support/test-service.ts';

const { inProgressMax, waitingMax } = bounds.call;

describe('calls of one account', () => {
  test('beyond the bound wait, further ones are refused with Retry-After, and other accounts are served', async () => {
    const { call, held, release, open } = await startBounded();
    const calls = Array.from({ length: inProgressMax + waitingMax }, () => call('call', 'one'));
    await waitUntil('the bound is reached', () => held() === inProgressMax);
    // Those that wait may still be on their way, so one of these may wait instead.
    const beyond = await Promise.race(
      Array.from({ length: waitingMax + 1 }, () => call('call', 'one')),
    );
    assert.deepEqual([beyond.status, beyond.headers.get('retry-after')], [429, '2']);
    assert.equal(beyond.body.error.svc_error_code, 'RATE_LIMITED');
    assert.match(beyond.body.error.svc_merchant_message, /wait a few seconds, then try again/);
    const other = call('call', 'two');
    await waitUntil('the other account is served', () => held() === inProgressMax + 1);
    release();
    await waitUntil('the next ones have their turn', () => held() === inProgressMax);
    open();
    for (const { status } of await Promise.all([...calls, other])) assert.equal(status, 200);
  });

  test('that wait too long are refused', async () => {
    const { call, held, open } = await startBounded();
    const calls = Array.from({ length: inProgressMax }, () => call('call', 'one'));
    await waitUntil('the bound is reached', () => held() === inProgressMax);
    assert.equal((await call('call', 'one')).status, 429);
    open();
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
  });

  test('of other kinds are counted apart, and some kinds never wait', async () => {
    const { call, held, open } = await startBounded();
    const calls = [
      ...Array.from({ length: inProgressMax }, () => call('call', 'one')),
      call('test', 'one'),
    ];
    await waitUntil('both bounds are reached', () => held() === inProgressMax + 1);
    assert.equal((await call('test', 'one')).status, 429);
    open();
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
  });
});

test('an account that calls a route with a share all the time has to wait, and other accounts do not', async () => {
  const { call, open } = await startBounded(300);
  open();
  const startMs = performance.now();
  const search = async () => {
    for (let calls = 0; calls < 4; calls += 1) {
      assert.equal((await call('search', 'one')).status, 200);
    }
  };
  await Promise.all([search(), search()]);
  // Eight calls of 300 ms, two at a time, would take 1.2 s. A second is free, and for the rest it has a twentieth of the time.
  assert.ok(performance.now() - startMs > 2_500);
  const otherMs = performance.now();
  assert.equal((await call('search', 'two')).status, 200);
  assert.ok(performance.now() - otherMs < 2_000);
});

test('a caller who leaves keeps the slot until the work ends, so that leaving starts no further work', async () => {
  const { call, fetchHeld, held, release, open, connections } = await startBounded();
  const leaving = new AbortController();
  const gone = fetchHeld('test', 'one', leaving.signal);
  await waitUntil('it is worked on', () => held() === 1);
  leaving.abort();
  await gone;
  await waitUntil('the connection is closed', () => connections() === 0);
  assert.equal((await call('test', 'one')).status, 429);
  release();
  open();
  await waitUntil('the slot is free', async () => (await call('test', 'one')).status === 200);
});

test('a caller who leaves while it waits takes no slot', async () => {
  const { call, fetchHeld, held, release, open } = await startBounded();
  const calls = Array.from({ length: inProgressMax }, () => call('call', 'one'));
  await waitUntil('the bound is reached', () => held() === inProgressMax);
  const leaving = new AbortController();
  const gone = fetchHeld('call', 'one', leaving.signal);
  leaving.abort();
  await gone;
  const next = call('call', 'one');
  release();
  await waitUntil('the next one has its turn', () => held() === 1);
  open();
  for (const { status } of await Promise.all([...calls, next])) assert.equal(status, 200);
});

async function startBounded(workMs = 0) {
  const app = Fastify({ forceCloseConnections: true });
  const holdSlot = createBounds();
  let waiting: Array<() => void> = [];
  let isOpen = false;
  const sockets = new Set<unknown>();
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  app.setErrorHandler(sendError);
  watchWork(app);
  app.addHook('onRequest', async (request, reply) => {
    await holdSlot(request, reply, request.url.split('?')[1] ?? '');
  });
  for (const bound of Object.keys(bounds) as BoundName[]) {
    const share = bound === 'search' ? { share: 0.05 } : {};
    app.get(`/${bound}`, { config: { bound, ...share } }, async () => {
      if (!isOpen) await new Promise<void>((go) => waiting.push(go));
      if (workMs > 0) await delay(workMs);
      return {};
    });
  }
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  after(() => app.close());
  const release = () => {
    for (const go of waiting) go();
    waiting = [];
  };
  return {
    call: (bound: BoundName, owner: string) => callService(baseUrl, `/${bound}?${owner}`),
    fetchHeld: (bound: BoundName, owner: string, signal: AbortSignal) =>
      fetch(`${baseUrl}/${bound}?${owner}`, { signal }).catch(() => undefined),
    held: () => waiting.length,
    connections: () => sockets.size,
    release,
    open: () => {
      isOpen = true;
      release();
    },
  };
}
