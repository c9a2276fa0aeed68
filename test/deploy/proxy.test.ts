/** The proxy of compose.cluster.yaml as it runs: what callers get while services are away, and how it finds them. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { errorTable, ServiceError } from '../../src/domain/errors.ts';
import { errorBody } from '../../src/http/error-reply.ts';
import { runProgram } from '../../tools/harness/command-line.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { withoutKeepAlive } from '../../tools/harness/service.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { haproxy, haproxyFile, noHaproxy, startHaproxy } from '../support/haproxy.ts';

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

/** Answers everything with its address. */
async function startStub(address: string, port: number) {
  const server = createServer((_request, reply) => reply.end(address));
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  after(close);
  return { close };
}
