import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Reply, startTestService } from '../../support/test-service.ts';

const service = await startTestService();

test('/healthz and /readyz answer without credentials', async () => {
  const health = await service.call('/healthz');
  assert.deepEqual([health.status, health.body], [200, { status: 'ok' }]);
  const ready = await service.call('/readyz');
  assert.deepEqual([ready.status, ready.body], [200, { status: 'ready' }]);
});

test('every page of the operator has x-request-id and a content type that is not guessed', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']) {
    const { status, headers } = await service.call(path, {
      headers: { 'x-request-id': 'probe-1' },
    });
    assert.equal(status, 200, path);
    assert.equal(headers.get('x-request-id'), 'probe-1', path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
  }
});

test('/openapi.json is OpenAPI 3.1 and lists the operations with their replies', async () => {
  const { body } = await service.call('/openapi.json');
  assert.equal(body.openapi, '3.1.0');
  assert.equal(body.components.securitySchemes.bearer.scheme, 'bearer');
  const listed = operations(body).map(({ method, path }) => `${method} ${path}`);
  for (const operation of [
    ...['post /api/v3/generate-token', 'post /api/v3/refresh-token'],
    ...['post /api/v3/create-order', 'get /api/v3/order'],
  ]) {
    assert.ok(listed.includes(operation), operation);
  }
});

test('every operation documents its error replies with the three fields', async () => {
  const { body } = await service.call('/openapi.json');
  const api = operations(body).filter(
    ({ path }) => path.startsWith('/api/v3/') && !path.startsWith('/api/v3/webhooks/'),
  );
  const names = new Set<string>();
  for (const { method, path, operation } of api) {
    const at = `${method} ${path}`;
    assert.ok(operation.operationId && operation.summary, at);
    names.add(operation.operationId);
    assert.ok('200' in operation.responses, at);
    for (const status of ['4XX', '5XX']) {
      const schema = operation.responses[status]?.content['application/json'].schema;
      assert.deepEqual(
        schema?.properties.error.required,
        ['svc_error_code', 'svc_consumer_message', 'svc_merchant_message'],
        `${at} ${status}`,
      );
    }
  }
  assert.equal(names.size, api.length, 'operation ids are unique');
});

test('the documented operations are the served ones, and guarded ones are marked', async () => {
  const { body } = await service.call('/openapi.json');
  assert.deepEqual(body.security, [{ bearer: [] }]);
  for (const { method, path, operation } of operations(body)) {
    const isOpen = operation.security?.length === 0;
    const reply = await service.call(path, { method: method.toUpperCase() });
    assert.notEqual(reply.status, 404, path);
    assert.notEqual(reply.status, 405, path);
    assert.equal(reply.status === 401, !isOpen, `${method} ${path} answers ${reply.status}`);
  }
});

test('/docs loads nothing from other hosts', async () => {
  const page = await service.call('/docs');
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  const assets = [...String(page.body).matchAll(/\b(?:src|href|action)\s*=\s*["']?([^"'\s>]+)/g)];
  assert.ok(assets.length > 0, 'the page has a script');
  for (const [, url = ''] of assets) {
    assert.doesNotMatch(url, /^(?:[a-z]+:)?\/\//i, `${url} is on this service`);
    const { pathname } = new URL(url, `${service.baseUrl}/docs/`);
    assert.equal((await service.call(pathname)).status, 200, pathname);
  }
  assert.doesNotMatch(String(page.body), /https?:\/\//);
});

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly security?: readonly unknown[];
  // biome-ignore lint/suspicious/noExplicitAny: replies are asserted field by field
  readonly responses: Record<string, any>;
};

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
  const bodyOf = (provider: string) =>
    body.paths[`/api/v3/webhooks/${provider}/{account_id}`].post.requestBody.content[
      'application/json'
    ].schema.properties;
  assert.ok(bodyOf('partner').event && bodyOf('partner').payload);
  assert.ok(bodyOf('bank-gateway').order && bodyOf('bank-gateway').transaction);
});
