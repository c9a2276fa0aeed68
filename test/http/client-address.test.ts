/** Which address a request counts for: what a stranger claims never does. Contract 13.2. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { clientAddress } from '../../src/http/client-address.ts';
import { networksOf } from '../../src/security/networks.ts';

const trusted = networksOf([
  '127.0.0.0/8',
  '::1',
  '10.1.0.0/16',
  '100.64.0.0/10',
  'fe80::/10',
  'fd00:1::/32',
  '198.51.100.7',
]);

const cases: [what: string, peer: string, forwarded: string | undefined, client: string][] = [
  ['a stranger claims another address', '203.0.113.9', '1.2.3.4', '203.0.113.9'],
  ['a stranger of a private network does', '10.2.0.1', '1.2.3.4', '10.2.0.1'],
  ['a proxy says nothing', '127.0.0.1', undefined, '127.0.0.1'],
  ['a proxy names its caller', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['its caller claimed to be another', '127.0.0.1', '1.2.3.4, 203.0.113.9', '203.0.113.9'],
  ['its caller is in a private network', '127.0.0.1', '1.2.3.4, 192.168.0.5', '192.168.0.5'],
  ['two proxies', '10.1.0.1', '1.2.3.4,203.0.113.9 , 10.1.200.3', '203.0.113.9'],
  ['a proxy of the internet', '198.51.100.7', '203.0.113.9', '203.0.113.9'],
  ['its neighbour', '198.51.100.8', '203.0.113.9', '198.51.100.8'],
  ['all are proxies', '127.0.0.1', '10.1.0.2, 10.1.0.3', '10.1.0.2'],
  ['an entry is no address', '127.0.0.1', '203.0.113.9, unknown', '127.0.0.1'],
  ['an earlier entry is none', '127.0.0.1', '203.0.113.9, _hidden, 10.1.0.2', '10.1.0.2'],
  ['an entry is empty', '127.0.0.1', '203.0.113.9,, 10.1.0.2', '10.1.0.2'],
  ['an entry has a port', '127.0.0.1', '203.0.113.9:4711', '127.0.0.1'],
  ['IPv4 within IPv6', '::ffff:127.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
  ['its other spelling', '::ffff:7f00:1', '::FFFF:cb00:7109', '203.0.113.9'],
  ['IPv6', '::1', '2001:DB8:0::9, fd00:1::2', '2001:db8::9'],
  ['a link-local proxy', 'fe80::1%eth0', '2001:db8::9', '2001:db8::9'],
  ['carrier-grade NAT', '100.127.255.254', '203.0.113.9', '203.0.113.9'],
  ['beyond it', '100.128.0.1', '203.0.113.9', '100.128.0.1'],
  ['a closed connection', '', '203.0.113.9', ''],
];
for (const [what, peer, forwarded, client] of cases) {
  test(`${what}: ${peer}, ${forwarded} is ${client || 'nobody'}`, () => {
    assert.equal(clientAddress(requestOf(peer, forwarded), trusted), client);
  });
}

test('whatever a client claims, behind a proxy it is the address that the proxy saw', () => {
  const claim = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('127.0.0.1', ','));
  fc.assert(
    fc.property(fc.array(claim), fc.constantFrom('', '10.1.0.2', '::1'), (claims, second) => {
      const forwarded = [...claims, '203.0.113.9', ...(second === '' ? [] : [second])].join(', ');
      assert.equal(clientAddress(requestOf('127.0.0.1', forwarded), trusted), '203.0.113.9');
    }),
  );
});

function requestOf(remoteAddress: string, forwarded: string | undefined): IncomingMessage {
  return {
    socket: { remoteAddress: remoteAddress || undefined },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage;
}
