import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { isGuarded, namesOf } from '../routes.ts';

const service = await startTestService();

test('/healthz and /readyz answer without credentials', async () => {
  const health = await service.call('/healthz');
  assert.deepEqual([health.status, health.body], [200, { status: 'ok' }]);
  const ready = await service.call('/readyz');
  assert.deepEqual([ready.status, ready.body], [200, { status: 'ready' }]);
});

test('every page of the operator has x-request-id and a content type that is not guessed', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs/']) {
    const { status, headers } = await service.call(path, {
      headers: { 'x-request-id': 'probe-1' },
    });
    assert.equal(status, 200, path);
    assert.equal(headers.get('x-request-id'), 'probe-1', path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
  }
});

test('/openapi.json is OpenAPI 3.1 and lists the operations', async () => {
  const { body } = await service.call('/openapi.json');
  assert.equal(body.openapi, '3.1.0');
  assert.deepEqual(Object.keys(body.components.securitySchemes), [
    'merchantToken',
    'orderToken',
    'partnerProof',
    'bankGatewayProof',
  ]);
  const listed = operations(body).map(({ method, path }) => `${method} ${path}`);
  for (const operation of [
    'post /api/v3/generate-token',
    'post /api/v3/refresh-token',
    'post /api/v3/create-order',
    'get /api/v3/order',
  ]) {
    assert.ok(listed.includes(operation), operation);
  }
});

test('the documented operations and aliases are served, and guarded ones are marked', async () => {
  const { body } = await service.call('/openapi.json');
  for (const { method, path, operation } of operations(body)) {
    for (const name of namesOf(method, path, operation)) {
      const reply = await service.call(name.path, { method: name.method });
      const at = `${name.method} ${name.path} answers ${reply.status}`;
      assert.ok(![404, 405].includes(reply.status), at);
      assert.equal(reply.status === 401, isGuarded(operation), at);
    }
  }
});

test('/docs loads nothing from other hosts', async () => {
  const page = await service.call('/docs');
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  const assets = [...String(page.body).matchAll(/\b(?:src|href|action)\s*=\s*["']?([^"'\s>]+)/g)];
  assert.ok(assets.length > 0, 'the page has a script');
  for (const [, url = ''] of assets) {
    if (url.startsWith('data:')) continue;
    assert.doesNotMatch(url, /^(?:[a-z]+:)?\/\//i, `${url} is on this service`);
    const { pathname } = new URL(url, `${service.baseUrl}/docs/`);
    assert.equal((await service.call(pathname)).status, 200, pathname);
  }
  assert.doesNotMatch(String(page.body), /https?:\/\//);
});

type Operation = Parameters<typeof isGuarded>[0] & Parameters<typeof namesOf>[2];

function operations(
  openApi: Reply['body'],
): { method: string; path: string; operation: Operation }[] {
  const paths = openApi.paths as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ method, path, operation })),
  );
}

test('the bodies of both webhooks are documented, although they are read as raw bytes', async () => {
  const { body } = await service.call('/openapi.json');
  const typesOf = (provider: string) =>
    Object.keys(body.paths[`/api/v3/webhooks/${provider}/{account_id}`].post.requestBody.content);
  assert.deepEqual(typesOf('partner'), ['application/json']);
  assert.deepEqual(typesOf('bank-gateway'), [
    'application/json',
    'application/x-www-form-urlencoded',
  ]);
  const { PartnerEvent, BankGatewayNotification, BankGatewayNotificationForm } =
    body.components.schemas;
  assert.ok(PartnerEvent.properties.event && PartnerEvent.properties.payload);
  assert.ok(BankGatewayNotification.properties.order);
  assert.ok(BankGatewayNotificationForm.properties['order.id']);
});
