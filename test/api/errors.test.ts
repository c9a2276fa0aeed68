import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import { startTestService } from '../support/test-service.ts';
import { assertRefused, assertWebhookRefused } from './assertions.ts';
import { sendBytes } from './raw-http.ts';
import { listRoutes } from './routes.ts';

const service = await startTestService();
const account = await service.createAccount();
const authorization = `Authorization: Bearer ${account.token}`;

const nowhere = ['/api', '/api/v3', '/api/v3/', '/api/v3/nothing', '/api/v2/order'];
for (const path of [...nowhere, '/api/v3/order/', '/api/v3/order/1', '/API/V3/order', '/.env']) {
  test(`${path} is answered 404 for every method and token`, async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      for (const token of [undefined, account.token]) {
        assertRefused(await service.call(path, { method, token }), 'NOT_FOUND');
      }
    }
  });
}

test('a JSON reply is one line with its line break, so that a terminal shows it well', async () => {
  const paths = ['/healthz', '/api/v3/nothing', '/api/v3/order', '/openapi.json'];
  for (const path of paths) {
    const response = await fetch(`${service.baseUrl}${path}`);
    assert.match(await response.text(), /^[^\n]+\n$/, path);
  }
});

test('an unknown path is answered 404, whatever the body is', async () => {
  for (const body of ['{not json', Uint8Array.of(0xff), 'x'.repeat(300 * 1024)]) {
    assertRefused(await service.call('/api/v3/nothing', { body }), 'NOT_FOUND');
    assertRefused(await service.call('/nothing', { body }), 'NOT_FOUND');
  }
});

test('every route answers an unsupported method with 405 and lists the supported ones', async () => {
  const routes = await listRoutes(service);
  for (const path of new Set(routes.map((route) => route.path))) {
    const taken = routes.filter((route) => route.path === path).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (taken.includes(method)) continue;
      const reply = await service.call(path, { method });
      if (path.startsWith('/api/v3/webhooks/')) assertWebhookRefused(reply, 405, taken[0]);
      else assertRefused(reply, 'METHOD_NOT_ALLOWED', taken[0]);
      const allow = (reply.headers.get('allow') ?? '').split(', ');
      assert.deepEqual(
        allow.filter((name) => name !== 'HEAD'),
        taken.toSorted(),
      );
    }
  }
});

for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) {
  test(`${path} supports GET only`, async () => {
    const reply = await service.call(path, { method: 'POST', body: '<x/>' });
    assertRefused(reply, 'METHOD_NOT_ALLOWED', 'GET');
    assert.equal(reply.headers.get('allow'), 'GET, HEAD');
  });
}

test('a method that the framework does not know is answered 405, and 404 on an unknown path', async () => {
  const known = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT'];
  for (const method of METHODS.filter((name) => !known.includes(name))) {
    const send = (path: string) =>
      sendBytes(service.baseUrl, request(`${method} ${path} HTTP/1.1`, authorization));
    const reply = await send('/api/v3/order');
    assertRefused(reply, 'METHOD_NOT_ALLOWED', 'GET');
    assert.equal(reply.headers.get('allow'), 'GET, HEAD, PATCH');
    assertWebhookRefused(await send('/api/v3/webhooks/partner'), 405, 'POST');
    assertRefused(await send('/api/v3/nothing'), 'NOT_FOUND');
  }
  const { body: metrics } = await service.call('/metrics');
  for (const method of ['TRACE', 'PROPFIND']) {
    const labels = `method="${method}",route="/api/v3/order",status="405"`;
    assert.ok(metrics.includes(`http_request_duration_seconds_count{${labels}} 1\n`), method);
  }
});

const post = 'POST /api/v3/generate-token HTTP/1.1';
const broken: [name: string, bytes: string | Uint8Array, told: RegExp][] = [
  ['no HTTP', 'GARBAGE\r\n\r\n', /HTTP\/1\.1/],
  ['TLS', Uint8Array.of(0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0), /HTTP\/1\.1/],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /HTTP\/1\.1/],
  ['a URL of raw bytes', Buffer.from(request('GET /\xff HTTP/1.1'), 'latin1'), /HTTP\/1\.1/],
  ['a header that never ends', request('GET / HTTP/1.1', `X: ${'x'.repeat(20_000)}`), /headers/],
  ['thousands of headers', request('GET / HTTP/1.1', `${'X: y\r\n'.repeat(5_000)}Z: z`), /headers/],
  ['a header without a name', request('GET / HTTP/1.1', ': value'), /HTTP\/1\.1/],
  ['a negative length', `${request(post, 'Content-Length: -1')}{}`, /HTTP\/1\.1/],
  ['a length that is no number', `${request(post, 'Content-Length: two')}{}`, /HTTP\/1\.1/],
  ['two lengths', `${request(post, 'Content-Length: 2\r\nContent-Length: 3')}{}`, /HTTP\/1\.1/],
  [
    'a length beside chunks',
    `${request(post, 'Content-Length: 2\r\nTransfer-Encoding: chunked')}0\r\n\r\n`,
    /HTTP\/1\.1/,
  ],
  ['a bad chunk', `${request(post, 'Transfer-Encoding: chunked')}zz\r\n{}`, /HTTP\/1\.1/],
];
for (const [name, bytes, told] of broken) {
  test(`${name} is answered with the contract's error body`, async () => {
    assertRefused(await sendBytes(service.baseUrl, bytes), 'INVALID_REQUEST_PARAMETER', told);
  });
}

test('a body shorter or longer than its Content-Length is refused', async () => {
  const body = JSON.stringify({
    access_key: account.accessKey,
    access_secret: account.accessSecret,
  });
  for (const length of [body.length + 1, body.length - 1]) {
    const bytes = `${request(post, `Content-Length: ${length}`)}${body}`;
    const reply = await sendBytes(service.baseUrl, bytes, { endAfter: true });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /./);
  }
});

test("a request without a Host is answered with the contract's error body", async () => {
  const reply = await sendBytes(service.baseUrl, 'GET /healthz HTTP/1.1\r\n\r\n');
  assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /./);
});

test('a request with an unknown expectation is answered like any other', async () => {
  const reply = await sendBytes(service.baseUrl, request(post, 'Expect: tea'));
  assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status}`);
  assert.deepEqual(Object.keys(reply.body.error ?? {}), [
    'svc_error_code',
    'svc_consumer_message',
    'svc_merchant_message',
    'message',
  ]);
});

test('an id in a query with invalid URL encoding is not found', async () => {
  for (const [query, code] of [
    ['order_id=%E0%A4%A', 'ORDER_NOT_FOUND'],
    ['order_id=%zz', 'ORDER_NOT_FOUND'],
    ['invoice_id=%', 'INVOICE_NOT_FOUND'],
    ['invoice_id=%ED%A0%80', 'INVOICE_NOT_FOUND'],
    ['invoice_id=%ff%fe', 'INVOICE_NOT_FOUND'],
  ] as const) {
    const head = request(`GET /api/v3/order?${query} HTTP/1.1`, authorization);
    assertRefused(await sendBytes(service.baseUrl, head), code);
  }
});

test('a path with invalid URL encoding is answered 404', async () => {
  for (const path of ['/%zz', '/%', '/api/v3/order%E0%A4%A', '/api/v3/%ff']) {
    const reply = await sendBytes(service.baseUrl, request(`GET ${path} HTTP/1.1`));
    assertRefused(reply, 'NOT_FOUND');
  }
});

test('the service still answers after all of this', async () => {
  assert.equal((await service.call('/healthz')).status, 200);
  assert.doesNotMatch(service.logText(), /"level":"(error|fatal)"/);
});

/** The headers of a request whose connection closes after the reply. */
function request(line: string, header = 'Accept: */*'): string {
  return `${line}\r\nHost: service.test\r\nConnection: close\r\n${header}\r\n\r\n`;
}
