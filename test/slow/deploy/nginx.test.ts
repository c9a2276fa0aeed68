/** deploy/proxy/nginx.conf as it runs: which hosts it serves, and what callers get while no service answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, errorTable, ServiceError } from '../../../src/domain/errors.ts';
import { errorBody } from '../../../src/http/error-reply.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { noNginx, startNginx } from '../../support/nginx.ts';
import {
  type Answer,
  callFrom,
  largePath,
  startSlowReaders,
  startStub,
} from '../../support/proxied-stub.ts';

const skip = noNginx;
const host = 'pay.example.com';
const path = '/api/v3/order';

test('http leads to the configured host, and no request for another host is answered', {
  skip,
}, async () => {
  const servicePort = await findFreePort();
  await startStub('127.0.0.1', servicePort);
  const { httpPort, httpsPort } = await startNginx(servicePort);
  const secure = { port: httpsPort, path, servername: host };
  const plain = { port: httpPort, path: '/pay/x?a=b' };
  assert.equal((await callFrom('127.0.0.1', { ...secure, host })).status, 200);
  const redirect = await callFrom('127.0.0.1', { ...plain, host });
  assert.equal(redirect.status, 301);
  assert.equal(redirect.headers.location, `https://${host}/pay/x?a=b`);

  const closed = { code: 'ECONNRESET' };
  await assert.rejects(callFrom('127.0.0.1', { ...plain, host: 'evil.example' }), closed);
  await assert.rejects(callFrom('127.0.0.1', { ...secure, host: 'evil.example' }), closed);
  await assert.rejects(
    callFrom('127.0.0.1', { ...secure, servername: 'evil.example', host: 'evil.example' }),
    /unrecognized name/,
  );
});

test('while no service can be reached, callers get the 503 of the contract', {
  skip,
}, async () => {
  const { httpsPort: port } = await startNginx(await findFreePort());
  // After two failures nginx leaves the service out, and answers in another way.
  for (let call = 0; call < 4; call++) {
    const answer = await callFrom('127.0.0.1', { port, path, servername: host, host });
    expectError(answer, 'SERVICE_UNAVAILABLE');
    assert.match(answer.headers['strict-transport-security'] ?? '', /max-age/);
  }
});

test('five hundred callers at one address that never read leave room for all others', {
  skip,
}, async () => {
  const servicePort = await findFreePort();
  await startStub('127.0.0.1', servicePort);
  const { httpsPort: port } = await startNginx(servicePort);
  const called = { port, servername: host, host };
  await startSlowReaders(500, '127.0.0.2', { ...called, path: largePath });
  for (let call = 0; call < 5; call++) {
    assert.equal((await callFrom('127.0.0.1', { ...called, path })).status, 200);
  }
});

test('requests of one address beyond its limit are answered 429 with the body of the contract', {
  skip,
}, async () => {
  const servicePort = await findFreePort();
  await startStub('127.0.0.1', servicePort);
  const { httpsPort: port } = await startNginx(servicePort, (text) =>
    text.replace(/(limit_conn payment_order_clients) \d+;/, '$1 3;'),
  );
  const called = { port, servername: host, host };
  await startSlowReaders(3, '127.0.0.2', { ...called, path: largePath });
  expectError(await callFrom('127.0.0.2', { ...called, path }), 'RATE_LIMITED');
  assert.equal((await callFrom('127.0.0.1', { ...called, path })).status, 200);
});

function expectError({ status, headers, body }: Answer, code: ErrorCode): void {
  const entry = errorTable[code];
  assert.equal(status, entry.status);
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(headers['retry-after'], '1');
  assert.deepEqual(JSON.parse(body), errorBody(new ServiceError(code)));
}
