import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, test } from 'node:test';
import {
  createClient,
  NetworkError,
  PaymentOrderError,
  ServiceCallError,
} from '../../client/client.js';
import { findFreePort } from '../../tools/harness/free-port.ts';

const keys = { accessKey: 'access_key_x', accessSecret: 'access_secret_not_to_be_shown' };

test('a service that cannot be reached is a NETWORK_ERROR with its cause', async () => {
  const baseUrl = `http://127.0.0.1:${await findFreePort()}`;
  const error = await errorOf(createClient({ baseUrl, ...keys }).refund({ invoice_id: 'INV-1' }));
  assert.ok(error instanceof NetworkError);
  assert.ok(error instanceof PaymentOrderError);
  assert.equal(error.code, 'NETWORK_ERROR');
  assert.match(error.message, /generate-token got no reply from http:\/\/127.*ECONNREFUSED/);
  assert.ok(error.cause instanceof TypeError);
  assert.match(error.idempotencyKey ?? '', /^[0-9a-f-]{36}$/);
});

test('a service that does not answer is a TIMEOUT', async () => {
  const silent = createTcpServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  after(() => silent.close());
  const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const client = createClient({ baseUrl, ...keys, timeoutMs: 20 });
  const error = await errorOf(client.getOrder({ invoice_id: 'INV-1' }));
  assert.ok(error instanceof NetworkError);
  assert.equal(error.code, 'TIMEOUT');
  assert.equal((error.cause as Error).name, 'TimeoutError');
  assert.equal(error.idempotencyKey, null);
});

test('a reply of something else than the service is an UNEXPECTED_REPLY, also with status 200', async () => {
  let status = 200;
  const proxy = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  after(() => proxy.close());
  const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  for (status of [200, 404, 500]) {
    const error = await errorOf(createClient({ baseUrl, ...keys }).getOrder({ invoice_id: 'x' }));
    assert.ok(error instanceof ServiceCallError);
    assert.equal(error.code, 'UNEXPECTED_REPLY');
    assert.equal(error.status, status);
    assert.match(error.merchantMessage, /check baseUrl/);
  }
});

test('a redirect is not followed, so that the secret stays with the service', async () => {
  const asked: string[] = [];
  const elsewhere = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  after(() => elsewhere.close());
  const location = `http://localhost:${(elsewhere.address() as AddressInfo).port}/`;
  const proxy = createServer((_request, response) => {
    response.writeHead(308, { location }).end();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  after(() => proxy.close());
  const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const error = await errorOf(createClient({ baseUrl, ...keys }).getOrder({ invoice_id: 'x' }));
  assert.ok(error instanceof ServiceCallError);
  assert.deepEqual([error.code, error.status, asked], ['UNEXPECTED_REPLY', 308, []]);
});

test('options that cannot work are refused at once, without showing a secret', () => {
  const wrong: [options: object, message: RegExp][] = [
    [{ baseUrl: undefined }, /baseUrl must be the URL/],
    [{ baseUrl: 'pay.example.com' }, /baseUrl must be the URL/],
    [{ accessKey: undefined }, /accessKey is missing/],
    [{ accessSecret: '' }, /accessSecret is missing/],
  ];
  for (const [options, message] of wrong) {
    const given = { baseUrl: 'https://pay.example.com', ...keys, ...options } as never;
    assert.throws(() => createClient(given), { name: 'TypeError', message });
  }
});

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (thrown) => thrown,
  );
  assert.ok(!String(error.stack).includes(keys.accessSecret));
  return error;
}
