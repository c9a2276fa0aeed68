/**
 * An owner may choose the address of a provider, and the service must not become a way into the operator's network: each
 * connection is checked when it is made. Contract 11.6.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, createProviderCaller } from '../../src/providers/call.ts';
import type { LookUp } from '../../src/security/checked-address.ts';
import { type AllowedNetworks, allowedNetworksOf } from '../../src/security/endpoint-address.ts';
import { createProviderSender } from '../../src/services/provider-sender.ts';
import { testCertificate } from '../support/certificate.ts';
import { okOf, startRawEndpoint } from '../support/raw-endpoint.ts';
import { startTestService } from '../support/test-service.ts';

const internet = allowedNetworksOf([], { loopback: false });
const embedded = allowedNetworksOf([], { loopback: true });
const notAllowed = 'the address of the provider is in a network that is not allowed';

/** On loopback, where only somebody inside should get. */
const inside = await startRawEndpoint((socket) => socket.write(okOf('{"inside": true}')), {
  isSecure: true,
});

describe('the address of a provider', () => {
  for (const [what, addresses] of [
    ['this machine', ['127.0.0.1', '::1', '0.0.0.0', '::ffff:127.0.0.1']],
    ['a private network', ['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1']],
    ['the metadata of a cloud', ['169.254.169.254', 'fe80::1', '64:ff9b::a9fe:a9fe']],
  ] as const) {
    test(`that is a name of ${what} is not called`, async () => {
      for (const address of addresses) {
        const url = `https://shop.test:${inside.port}`;
        assertRefused(await call(url, internet, resolvingTo(address)), address);
      }
      assert.equal(inside.sockets.length, 0);
    });
  }

  test('that is written as an address of such a network is not called', async () => {
    for (const host of ['10.0.0.1', '169.254.169.254', '[fd00::1]', '[::ffff:10.0.0.1]', '0']) {
      assertRefused(await call(`https://${host}:${inside.port}`, internet), host);
    }
    assert.equal(inside.sockets.length, 0);
  });

  test('is checked again for each connection, so a name that is changed later does not help', async () => {
    const answers = ['127.0.0.2', '127.0.0.1'];
    const lookUp: LookUp = (_name, _options, callback) =>
      callback(null, [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]);
    const outside = await startRawEndpoint(
      (socket) => socket.end(`${okOf('{}').replace('\r\n', '\r\nconnection: close\r\n')}`),
      { host: '127.0.0.2', port: 0, isSecure: true },
    );
    const send = callerOf(allowedNetworksOf(['127.0.0.2/32'], { loopback: false }), lookUp);
    const url = `https://shop.test:${outside.port}`;
    assert.equal((await send(url)).kind, 'answered');
    assertRefused(await send(url), 'the second time');
  });

  test('that redirects into the network is not followed', async () => {
    const redirect = `HTTP/1.1 307 Moved\r\nlocation: https://127.0.0.1:${inside.port}/\r\ncontent-length: 2\r\n\r\n{}`;
    const outside = await startRawEndpoint((socket) => socket.write(redirect), {
      host: '127.0.0.2',
    });
    const listed = allowedNetworksOf(['127.0.0.2/32'], { loopback: false });
    const answer = await call(new URL(outside.url).origin, listed);
    assert.deepEqual([answer.kind, 'status' in answer && answer.status], ['answered', 307]);
    assert.equal(inside.sockets.length, 0);
  });

  test('without https is called only in networks that are allowed', async () => {
    assertRefused(await call('http://shop.test', internet, resolvingTo('1.1.1.1')), 'http');
    assertRefused(
      await call('https://shop.test:22', internet, resolvingTo('1.1.1.1')),
      'a port of another protocol',
    );
  });
});

describe('what the operator chose is called', () => {
  const answerOf = async (url: string, networks: AllowedNetworks, trusted: string[] = []) => {
    const answer = await callerOf(networks, resolvingTo('127.0.0.1'), trusted)(url);
    return answer.kind === 'answered' ? answer.body : answer;
  };

  test('an address of this machine, such as that of a simulator', async () => {
    const own = await startOwn();
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${own.port}`;
      assert.deepEqual(await answerOf(url, internet), { own: true }, host);
    }
  });

  test('a name in a listed network, and in the embedded mode one of this machine', async () => {
    const own = await startOwn();
    const url = `http://shop.test:${own.port}`;
    const listed = allowedNetworksOf(['127.0.0.1/32'], { loopback: false });
    for (const networks of [listed, embedded]) {
      assert.deepEqual(await answerOf(url, networks), { own: true });
    }
  });

  test('the simulator at whatever name it has, and nothing else at that name', async () => {
    const [own, other] = [await startOwn(), await startOwn()];
    const simulatorUrl = `http://simulator:${own.port}`;
    assert.deepEqual(await answerOf(simulatorUrl, internet, [simulatorUrl]), { own: true });
    await assertNotCalled(`http://simulator:${other.port}`, simulatorUrl);
    assert.equal(other.sockets.length, 0);
  });
});

test('calls one after the other share a connection', async () => {
  const own = await startOwn();
  const send = callerOf(embedded, resolvingTo('127.0.0.1'));
  for (let calls = 0; calls < 5; calls += 1) {
    assert.equal((await send(`http://shop.test:${own.port}`)).kind, 'answered');
  }
  assert.equal(own.sockets.length, 1);
});

test('a service checks the addresses of its accounts', async () => {
  const { services } = await startTestService();
  const answer = await services.callProvider({ url: 'https://169.254.169.254', secret: '' }, read);
  assertRefused(answer, 'the metadata of a cloud');
});

const read = { method: 'GET', path: '/v1/orders', user: 'key', isRepeatable: false } as const;

function startOwn() {
  return startRawEndpoint((socket) => socket.write(okOf('{"own": true}')));
}

function callerOf(networks: AllowedNetworks, lookUp: LookUp, trustedUrls: string[] = []) {
  const parts = { lookUp, certificates: testCertificate };
  const call = createProviderCaller(createProviderSender(networks, trustedUrls, parts));
  return (url: string) => call({ url, secret: 'secret' }, read);
}

function call(url: string, networks: AllowedNetworks, lookUp = resolvingTo('127.0.0.1')) {
  return callerOf(networks, lookUp)(url);
}

async function assertNotCalled(url: string, trustedUrl: string): Promise<void> {
  assertRefused(await callerOf(internet, resolvingTo('127.0.0.1'), [trustedUrl])(url), url);
}

function resolvingTo(address: string): LookUp {
  return (_name, _options, callback) =>
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
}

/** Nothing was sent, so the payment has failed and is not in doubt. */
function assertRefused(answer: Answer, what: string): void {
  const { kind } = answer;
  assert.deepEqual([kind, kind === 'answered' ? '' : answer.why], ['not-sent', notAllowed], what);
}
