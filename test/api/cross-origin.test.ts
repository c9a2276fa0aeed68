/** The CORS headers: what a page of another origin may call and read. Contract 2.11. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../support/order-bodies.ts';
import { type Reply, startTestService } from '../support/test-service.ts';
import { assertRefused } from './assertions.ts';
import { listRoutes } from './routes.ts';

const service = await startTestService();
const { token, accountId } = await service.createAccount();
const origin = 'https://shop.example';

const merchantOnly = ['/generate-token', '/create-order', '/refund', '/capture', '/void'];
const isForPages = (path: string) =>
  !/\/(webhooks|payment-link)\b/.test(path) && !merchantOnly.some((name) => path.endsWith(name));

test('a preflight is answered where an order token may call, and refused elsewhere', async () => {
  for (const { method, path } of await listRoutes(service)) {
    const reply = await preflight(path, method);
    if (!isForPages(path)) {
      assert.equal(reply.status, 405, path);
      assertNoCrossOrigin(reply, path);
      continue;
    }
    assert.equal(reply.status, 204, path);
    assert.equal(reply.headers.get('access-control-allow-origin'), '*');
    assert.equal(reply.headers.get('access-control-allow-credentials'), null);
    const methods = (reply.headers.get('access-control-allow-methods') ?? '').split(', ');
    assert.ok(methods.includes(method), `${method} ${path}: ${methods}`);
    const headers = (reply.headers.get('access-control-allow-headers') ?? '').split(', ');
    for (const name of ['authorization', 'content-type', 'idempotency-key']) {
      assert.ok(headers.includes(name), name);
    }
    assert.ok(Number(reply.headers.get('access-control-max-age')) > 0);
  }
});

test('every reply of those routes is readable across origins, errors too, and none of the others is', async () => {
  for (const { method, path } of await listRoutes(service)) {
    for (const call of [{}, { token }, { token: 'forged' }]) {
      const reply = await service.call(path, { method, ...call, headers: { origin } });
      if (isForPages(path)) assertReadable(reply, `${method} ${path} ${reply.status}`);
      else assertNoCrossOrigin(reply, `${method} ${path} ${reply.status}`);
    }
  }
});

test('a successful reply is readable across origins as well', async () => {
  const created = await service.call('/api/v3/create-order', {
    token,
    body: orderBody(),
    headers: { origin },
  });
  assertNoCrossOrigin(created, 'create-order');
  const own = { token: created.body.token, headers: { origin } };
  const reply = await service.call('/api/v3/order', own);
  assert.equal(reply.status, 200);
  assertReadable(reply, 'order');
});

test('no other route is open to other origins', async () => {
  for (const path of [
    '/healthz',
    '/metrics',
    '/docs/',
    `/pay/${accountId}/x`,
    '/nothing',
    '/api/v3/webhooks/nothing',
    '/api/v3x/y',
  ]) {
    const reply = await service.call(path, { headers: { origin } });
    assertNoCrossOrigin(reply, path);
    assertNoCrossOrigin(await preflight(path, 'GET'), path);
  }
});

test('a page can read that a path of the API does not exist', async () => {
  for (const path of ['/api/v3/nothing', '/api/v2/nothing', '/api/v2/order?x=1', '/api/v3/%zz']) {
    const reply = await service.call(path, { token, headers: { origin } });
    assertRefused(reply, 'NOT_FOUND');
    assertReadable(reply, path);
    if (path.endsWith('%zz')) continue;
    // Without an answer to its preflight, the browser would not send the call.
    const asked = await preflight(path, 'POST');
    assert.equal(asked.status, 204, path);
    assert.equal(asked.headers.get('access-control-allow-origin'), '*');
    assert.match(asked.headers.get('access-control-allow-headers') ?? '', /authorization/);
    assertRefused(await service.call(path, { method: 'OPTIONS' }), 'NOT_FOUND');
  }
});

test('a path for merchants still answers OPTIONS with 405', async () => {
  assertRefused(await preflight('/api/v3/refund', 'POST'), 'METHOD_NOT_ALLOWED', 'POST');
});

function preflight(path: string, method: string): Promise<Reply> {
  return service.call(path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    },
  });
}

function assertReadable({ headers }: Reply, what: string): void {
  assert.equal(headers.get('access-control-allow-origin'), '*', what);
  assert.equal(headers.get('access-control-allow-credentials'), null, what);
  assert.equal(
    headers.get('access-control-expose-headers'),
    'Idempotent-Replayed, Retry-After, x-request-id',
    what,
  );
}

function assertNoCrossOrigin({ headers }: Reply, what: string): void {
  const names = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  assert.deepEqual(names, [], what);
}
