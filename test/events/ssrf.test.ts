/**
 * A merchant chooses the URL of an endpoint, and the service must not become a way into the operator's network. Each
 * address is refused twice: when the endpoint is created, and when a connection is made. Contract 12.6.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { ServiceError } from '../../src/domain/errors.ts';
import { type AllowedNetworks, allowedNetworksOf } from '../../src/security/endpoint-address.ts';
import { createEventSender, type SenderParts } from '../../src/services/event-sender.ts';
import { checkUrl } from '../../src/use-cases/events/endpoints.ts';
import { testCertificate } from '../support/certificate.ts';
import { okOf, startRawEndpoint } from '../support/raw-endpoint.ts';

const internet = allowedNetworksOf([], { loopback: false });
const embedded = allowedNetworksOf([], { loopback: true });

/** On loopback: nothing may connect to it unless loopback is allowed. */
const inside = await startRawEndpoint((socket) => socket.write(okOf('inside')));
const insideTls = await startRawEndpoint((socket) => socket.write(okOf('inside')), {
  isSecure: true,
});

/** Written as in a URL, and as the parser of URLs reads it. */
const refusedHosts: ReadonlyArray<readonly [what: string, hosts: readonly string[]]> = [
  ['private networks', ['10.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.1.1', '100.64.0.1']],
  ['loopback', ['127.0.0.1', '127.255.255.254', '[::1]', '0.0.0.0', '[::]']],
  ['link-local addresses, and so the metadata of clouds', ['169.254.169.254', '[fe80::1]']],
  ['private IPv6', ['[fc00::1]', '[fd12:3456:789a::1]', '[fec0::1]']],
  [
    'reserved, documentation and multicast ranges',
    [
      '192.0.0.8',
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '[2001:db8::1]',
      '[3fff::1]',
      '[ff02::1]',
      '[100::1]',
    ],
  ],
  [
    'IPv4 within IPv6',
    [
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::FFFF:10.0.0.1]',
      '[::127.0.0.1]',
      '[0:0:0:0:0:ffff:192.168.1.1]',
      '[::ffff:0:127.0.0.1]',
    ],
  ],
  ['NAT64', ['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]']],
  ['6to4 and Teredo', ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2001:0:7f00:1::]']],
  [
    'other spellings of IPv4',
    [
      '2130706433',
      '0x7f000001',
      '017700000001',
      '0177.0.0.1',
      '0x7f.1',
      '127.1',
      '127.0.1',
      '0',
      '127.0.0.1.',
      '%31%32%37.0.0.1',
      '１２７.0.0.1',
      '127。0。0。1',
      '①②⑦.0.0.1',
    ],
  ],
  ['names of loopback', ['localhost', 'LOCALHOST', 'localhost.', 'shop.localhost', 'ⓛocalhost']],
];

describe('without any allowed network', () => {
  for (const [what, hosts] of refusedHosts) {
    test(`${what}: no endpoint is created, and nothing is connected to`, async () => {
      for (const host of hosts) {
        for (const [scheme, { port }] of [
          ['http', inside],
          ['https', insideTls],
        ] as const) {
          const url = `${scheme}://${host}:${port}/events`;
          assertRefused(
            internet,
            url,
            /^url must be on the internet: .* loopback in embedded mode/,
          );
          const sent = await send(internet, url, resolvingTo('127.0.0.1'));
          assert.equal(sent.status, null, url);
          assert.match(
            sent.response,
            scheme === 'http'
              ? /^the URL must begin with https/
              : /, which is not on the internet;/,
            url,
          );
        }
      }
      assertUntouched();
    });
  }

  test('a zone makes no address', () => {
    for (const host of ['[fe80::1%eth0]', '[fe80::1%25eth0]', '[2606:4700::1%25lo]']) {
      const url = `https://${host}/events`;
      assertRefused(internet, url, /^url must be a URL such as/);
    }
  });

  test('http is refused, whatever the host', async () => {
    for (const host of ['shop.test', '1.1.1.1', '[2606:4700:4700::1111]']) {
      const url = `http://${host}/events`;
      assertRefused(
        internet,
        url,
        /^url must begin with https:\/\/, or with http:\/\/ on loopback in embedded mode\.$/,
      );
      const sent = await send(internet, url, resolvingTo('1.1.1.1'));
      assert.deepEqual([sent.status, sent.response], [null, 'the URL must begin with https://']);
    }
    for (const url of [
      'ftp://shop.test/',
      'file:///etc/passwd',
      'javascript:1',
      'gopher://shop.test/',
      'unix:/run/x',
    ]) {
      assertRefused(internet, url, /^url must begin with https/);
    }
  });

  test('only port 443 and those from 1024 on', async () => {
    for (const port of [1, 22, 25, 80, 444, 1023]) {
      const url = `https://shop.test:${port}/events`;
      assertRefused(internet, url, /^url must use port 443, or one from 1024 on\.$/);
      const sent = await send(internet, url, resolvingTo('1.1.1.1'));
      assert.equal(sent.response, `port ${port} is not allowed: use 443, or one from 1024 on`);
    }
    for (const port of [443, 1024, 8443, 65535]) {
      create(internet, `https://shop.test:${port}/events`);
    }
  });

  test('credentials are refused, and not repeated in the refusal', () => {
    for (const url of [
      'https://asha:hunter2@shop.test/',
      'https://hunter2@shop.test/',
      'https://:hunter2@shop.test/',
      'https://shop.test%2f:hunter2@evil.test/',
    ]) {
      assert.throws(
        () => create(internet, url),
        (error: ServiceError) => {
          assert.match(error.merchantMessage, /^url must not contain a user name or password/);
          assert.doesNotMatch(error.merchantMessage, /hunter2/);
          return true;
        },
      );
    }
  });

  test('what looks like another host is read in one way: the URL is stored as it is connected to', () => {
    for (const [url, stored] of [
      ['https://shop.test\\@127.0.0.1/', 'https://shop.test/@127.0.0.1/'],
      ['https://@shop.test/', 'https://shop.test/'],
      ['https:shop.test', 'https://shop.test/'],
      [' https://SHOP.test:443/a b\n', 'https://shop.test/a%20b'],
      ['https://shop.test./', 'https://shop.test./'],
      ['https://münchen.test/', 'https://xn--mnchen-3ya.test/'],
      ['https://1.1.1.1/', 'https://1.1.1.1/'],
      ['https://[2606:4700:4700::1111]:8443/', 'https://[2606:4700:4700::1111]:8443/'],
    ] as const) {
      assert.equal(create(internet, url), stored);
    }
    for (const url of [
      'https://',
      'shop.test',
      '//shop.test/',
      'https://sh op.test/',
      'https://127.0.0.256/',
      '',
    ]) {
      assertRefused(internet, url, /^url must be a URL such as/);
    }
    assertRefused(internet, 'https://shop.test/#top', /after #/);
    const long = `https://shop.test/${'x'.repeat(5000)}`;
    assertRefused(internet, long, /^url may have at most/);
  });
});

describe('a name', () => {
  test('that resolves to an address inside is accepted at first, and never connected to', async () => {
    for (const address of [
      '127.0.0.1',
      '::1',
      '10.0.0.1',
      '169.254.169.254',
      '::ffff:127.0.0.1',
      'fe80::1%lo',
    ]) {
      const url = `https://shop.test:${insideTls.port}/events`;
      create(internet, url);
      const sent = await send(internet, url, resolvingTo(address));
      assert.equal(
        sent.response,
        `shop.test has the address ${address}, which is not on the internet; the operator can allow its network with ENDPOINT_ALLOWED_NETWORKS`,
      );
    }
    assertUntouched();
  });

  test('with addresses inside and outside is connected to outside only', async () => {
    const { outside, networks, url } = await startOutside();
    for (const addresses of [
      ['127.0.0.1', '127.0.0.2'],
      ['127.0.0.2', '127.0.0.1'],
    ]) {
      const sent = await send(networks, url, resolvingTo(...addresses));
      assert.deepEqual([sent.status, sent.response], [200, 'outside']);
    }
    assert.equal(outside.sockets.length, 2);
    assertUntouched();
  });

  test('is looked up once for a connection, so that a second answer cannot differ', async () => {
    const { outside, networks, url } = await startOutside();
    const answers = ['127.0.0.2', '127.0.0.1', '127.0.0.1'];
    let lookups = 0;
    const lookUp: SenderParts['lookUp'] = (_name, _options, callback) => {
      lookups += 1;
      callback(null, [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]);
    };
    const first = await send(networks, url, { lookUp });
    assert.deepEqual([first.status, first.response, lookups], [200, 'outside', 1]);
    const second = await send(networks, url, { lookUp });
    assert.match(second.response, /^shop\.test has the address 127\.0\.0\.1, which is not on/);
    assert.equal(lookups, 2);
    assert.equal(outside.requests.length, 1);
    assertUntouched();
  });

  test('that has a kept connection is checked again by the address of that connection', async () => {
    const { outside, networks, url } = await startOutside();
    const listed = { ...networks };
    const sender = createEventSender(listed, {
      ...resolvingTo('127.0.0.2'),
      certificates: testCertificate,
    });
    after(sender.close);
    const event = { url, headers: {}, body: Buffer.from('{}') };
    assert.equal((await sender.sendEvent(event)).status, 200);
    Object.assign(listed, internet);
    const sent = await sender.sendEvent(event);
    assert.match(sent.response, /^shop\.test has the address 127\.0\.0\.2, which is not on/);
    assert.equal(outside.requests.length, 1);
  });

  test('a redirect into the network is not followed', async () => {
    const { networks, url } = await startOutside(
      `HTTP/1.1 307 Moved\r\nlocation: ${inside.url}\r\ncontent-length: 0\r\n\r\n`,
    );
    assert.equal((await send(networks, url, resolvingTo('127.0.0.2'))).status, 307);
    assertUntouched();
  });
});

describe('allowed networks', () => {
  test('the embedded mode allows loopback, also with http and any port, and nothing else', async () => {
    for (const host of [
      '127.0.0.1',
      'localhost',
      'shop.localhost',
      '[::1]',
      '127.8.8.8',
      '2130706433',
      '[::ffff:127.0.0.1]',
    ]) {
      create(embedded, `http://${host}:80/events`);
      create(embedded, `https://${host}:81/events`);
    }
    for (const host of [
      '10.0.0.1',
      '169.254.169.254',
      '192.168.1.1',
      '0.0.0.0',
      '[fe80::1]',
      '[::]',
    ]) {
      const url = `https://${host}:${inside.port}/events`;
      assertRefused(embedded, url, /^url must be on the internet: /);
      assert.match((await send(embedded, url)).response, /, which is not on the internet;/);
    }
    // Of the internet, as elsewhere.
    assertRefused(embedded, 'http://shop.test/', /must begin with https/);
    assertRefused(embedded, 'http://8.8.8.8/', /must begin with https/);
    const own = await startRawEndpoint((socket) => socket.write(okOf('own')));
    for (const url of [
      own.url,
      own.url.replace('127.0.0.1', '2130706433'),
      own.url.replace('127.0.0.1', 'shop.test'),
    ]) {
      const sent = await send(embedded, url, resolvingTo('127.0.0.1'));
      assert.deepEqual([sent.status, sent.response], [200, 'own'], url);
    }
  });

  test('listed networks are allowed, also with http and any port, and their neighbours are not', async () => {
    const listed = allowedNetworksOf(['10.1.0.0/16', 'fd00:1::/32', '127.0.0.2/32'], {
      loopback: false,
    });
    for (const host of [
      '10.1.0.1',
      '10.1.255.255',
      '[fd00:1::5]',
      '[::ffff:10.1.2.3]',
      '[::ffff:a01:1]',
    ]) {
      create(listed, `http://${host}:80/events`);
    }
    for (const host of [
      '10.0.255.255',
      '10.2.0.1',
      '[fd00:2::5]',
      '[::ffff:10.2.2.3]',
      '127.0.0.1',
      'localhost',
    ]) {
      const url = `https://${host}:${insideTls.port}/events`;
      assertRefused(listed, url, /^url must be on the internet: /);
      assert.match((await send(listed, url)).response, /, which is not on the internet;/);
    }
    const own = await startRawEndpoint((socket) => socket.write(okOf('own')), {
      host: '127.0.0.2',
    });
    assert.equal((await send(listed, own.url)).response, 'own');
    assertUntouched();
  });

  test('with listed networks a name may have http, but only if it resolves into them', async () => {
    const listed = allowedNetworksOf(['127.0.0.2/32'], { loopback: false });
    const own = await startRawEndpoint((socket) => socket.write(okOf('own')), {
      host: '127.0.0.2',
    });
    const url = own.url.replace('127.0.0.2', 'shop.test');
    create(listed, url);
    assert.equal((await send(listed, url, resolvingTo('127.0.0.2'))).response, 'own');
    for (const address of ['1.1.1.1', '127.0.0.1']) {
      const sent = await send(listed, url, resolvingTo(address));
      assert.deepEqual([sent.status, sent.response], [null, 'the URL must begin with https://']);
    }
    // Such as a mail server of somebody else.
    const mail = 'https://shop.test:25/events';
    create(listed, mail);
    assert.match(
      (await send(listed, mail, resolvingTo('1.1.1.1'))).response,
      /^port 25 is not allowed/,
    );
    assertUntouched();
  });
});

/** A listed address stands for one on the internet, which a test must not call. */
async function startOutside(answer = okOf('outside')) {
  const outside = await startRawEndpoint((socket) => socket.write(answer), {
    isSecure: true,
    host: '127.0.0.2',
    port: insideTls.port,
  });
  const networks = allowedNetworksOf(['127.0.0.2/32'], { loopback: false });
  return { outside, networks, url: `https://shop.test:${insideTls.port}/events` };
}

function resolvingTo(...addresses: string[]): SenderParts {
  return {
    lookUp: (_name, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
  };
}

function create(allowed: AllowedNetworks, url: string): string {
  return checkUrl(allowed, url);
}

function assertRefused(allowed: AllowedNetworks, url: string, merchantMessage: RegExp): void {
  assert.throws(
    () => create(allowed, url),
    { code: 'INVALID_REQUEST_PARAMETER', merchantMessage },
    url,
  );
}

async function send(allowed: AllowedNetworks, url: string, parts: SenderParts = {}) {
  const sender = createEventSender(allowed, {
    connectMsMax: 300,
    certificates: testCertificate,
    ...parts,
  });
  const sent = await sender.sendEvent({ url, headers: {}, body: Buffer.from('{}') });
  sender.close();
  return sent;
}

function assertUntouched(): void {
  assert.equal(inside.sockets.length + insideTls.sockets.length, 0);
}
