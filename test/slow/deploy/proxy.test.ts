/** The proxy of compose.cluster.yaml as it runs: what callers get while services are away, and how it finds them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorTable, ServiceError } from '../../../src/domain/errors.ts';
import { errorBody } from '../../../src/http/error-reply.ts';
import { runProgram } from '../../../tools/harness/command-line.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import type { Environment } from '../../../tools/harness/project.ts';
import { withoutKeepAlive } from '../../../tools/harness/service.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { haproxy, haproxyFile, noHaproxy, startHaproxy } from '../../support/haproxy.ts';
import { callFrom, largePath, startSlowReaders, startStub } from '../../support/proxied-stub.ts';

const skip = noHaproxy;

test('the proxy accepts its file although the names of the services are not known', {
  skip,
}, async () => {
  const { code, stderr } = await runProgram([haproxy ?? '', '-c', '-f', haproxyFile], {});
  assert.equal(code, 0, stderr);
});

test('while no service is ready the proxy answers as the service does, and then finds it at any address', {
  skip,
}, async () => {
  const servicePort = await findFreePort();
  const addresses: Record<string, string> = {};
  const url = await startHaproxy({ servicePort, addresses });
  // On a new connection each time: HAProxy closes one whose request was sent to a service that has just ended.
  const call = () =>
    fetch(`${url}/api/v3/create-order`, { method: 'POST', headers: withoutKeepAlive });
  await waitUntil('the proxy listens', () => call().then(Boolean, () => false));

  const refused = await call();
  assert.equal(refused.status, 503);
  const { retryAfterSeconds } = errorTable.SERVICE_UNAVAILABLE;
  assert.equal(refused.headers.get('retry-after'), String(retryAfterSeconds));
  assert.equal(refused.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.deepEqual(await refused.json(), errorBody(new ServiceError('SERVICE_UNAVAILABLE')));

  // A container that is created again has another address.
  for (const address of ['127.0.0.2', '127.0.0.3']) {
    const service = await startStub(address, servicePort);
    addresses['service-1'] = address;
    await waitUntil('the service is found', async () => (await (await call()).text()) === address);
    await service.close();
  }
});

test('five hundred callers at one address that never read leave room for all others', {
  skip,
}, async () => {
  const { port } = await startBehindStub();
  await startSlowReaders(500, '127.0.0.2', { port, path: largePath });
  // Less than the 30 seconds after which the proxy gives up a caller that does not read.
  await waitUntil('another caller is answered', () => isAnswered(port), 15);
});

test('requests of one address beyond its limit, which can be set, are answered 429 with the body of the contract', {
  skip,
}, async () => {
  const { port } = await startBehindStub({ CLIENT_REQUESTS_MAX: '3' });
  await startSlowReaders(3, '127.0.0.2', { port, path: largePath });
  const refused = await callFrom('127.0.0.2', { port, path: '/api/v3/order' });
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], String(errorTable.RATE_LIMITED.retryAfterSeconds));
  assert.deepEqual(JSON.parse(refused.body), errorBody(new ServiceError('RATE_LIMITED')));
  assert.equal((await callFrom('127.0.0.1', { port, path: '/api/v3/order' })).status, 200);
});

async function startBehindStub(env: Environment = {}): Promise<{ port: number }> {
  const servicePort = await findFreePort();
  const address = '127.0.0.2';
  await startStub(address, servicePort);
  const url = await startHaproxy({ servicePort, addresses: { 'service-1': address }, env });
  const port = Number(new URL(url).port);
  await waitUntil('the stub is found', () => isAnswered(port));
  return { port };
}

async function isAnswered(port: number): Promise<boolean> {
  const answer = await callFrom('127.0.0.1', { port, path: '/api/v3/order' }).catch(
    () => undefined,
  );
  return answer?.status === 200;
}
