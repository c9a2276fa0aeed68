import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allowedNetworksOf,
  isAllowedAddress,
  isTrustedAddress,
} from '../../src/security/endpoint-address.ts';

const internet = allowedNetworksOf([], { loopback: false });

test('addresses of the internet are allowed', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '52.95.110.1',
    '172.15.255.255',
    '172.32.0.0',
    '223.255.255.255',
    '100.63.255.255',
    '100.128.0.0',
    '2606:4700:4700::1111',
    '2a00:1450:4009:81f::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ]) {
    assert.ok(isAllowedAddress(address, internet), address);
    assert.ok(!isTrustedAddress(address, internet), address);
  }
});

test('addresses of a private network, of this machine and of no machine are refused', () => {
  for (const address of [
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.0',
      '100.127.255.255',
      '127.0.0.1',
      '127.255.255.254',
      '169.254.169.254',
    ],
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
  ]) {
    assert.ok(!isAllowedAddress(address, internet), address);
  }
});

test('IPv6 has the same limits, also where it contains an IPv4 address', () => {
  for (const address of [
    ...[
      '::',
      '::1',
      'fe80::1',
      'febf::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd12:3456::1',
      'ff02::1',
      'fec0::1',
    ],
    '100::1',
    '2001::1',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    '64:ff9b:1::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:10.0.0.1',
    '0:0:0:0:0:ffff:c0a8:0101',
    '::127.0.0.1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
  ]) {
    assert.ok(!isAllowedAddress(address, internet), address);
  }
});

test('what is no address is refused', () => {
  for (const text of [
    '',
    'localhost',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '1.1.1',
  ]) {
    assert.ok(!isAllowedAddress(text, internet), text);
  }
});

test('loopback and listed networks are allowed where they are configured, and nothing else', () => {
  const embedded = allowedNetworksOf([], { loopback: true });
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
    assert.ok(isAllowedAddress(address, embedded), address);
    assert.ok(isTrustedAddress(address, embedded), address);
  }
  assert.ok(!isAllowedAddress('10.1.0.1', embedded));
  const listed = allowedNetworksOf(['10.1.0.0/16', 'fd00:1::/32'], { loopback: false });
  for (const address of ['10.1.0.1', '10.1.255.255', '::ffff:10.1.0.1', 'fd00:1::5']) {
    assert.ok(isAllowedAddress(address, listed), address);
  }
  for (const address of ['10.2.0.1', '127.0.0.1', 'fd00:2::5']) {
    assert.ok(!isAllowedAddress(address, listed), address);
  }
});

test('a text that is no network cannot be listed', () => {
  for (const text of ['10.1.0.0/33', '10.1/16', 'fd00::/129', 'example.com/8', '/8']) {
    assert.throws(() => allowedNetworksOf([text], { loopback: false }), text);
  }
});
