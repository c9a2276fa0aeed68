import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  accessKeyOf,
  base62Of,
  findAccountIdOfAccessKey,
  findAccountIdOfLink,
  findTimeOfOrder,
  firstOrderIdAt,
  isAccountId,
  isOrderId,
  newAccountId,
  newDeliveryId,
  newLinkId,
  newOrderId,
  newSecretId,
  newUserId,
  randomBase62,
} from '../../src/domain/ids.ts';

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('each kind of id is its prefix and 16 base62 characters', () => {
  for (let round = 0; round < 1_000; round += 1) {
    assert.match(newAccountId(), /^acc_[0-9A-Za-z]{16}$/);
    assert.match(newOrderId(new Date()), /^o_[0-9A-Za-z]{16}$/);
    assert.match(newUserId(), /^user_[0-9A-Za-z]{16}$/);
    assert.match(newSecretId(), /^sec_[0-9A-Za-z]{16}$/);
  }
});

test("later orders have later ids in the database's sort order", () => {
  const seconds = [0, 1, 61, 62, 1_800_000_000, 1_800_000_001, 4_102_444_800];
  const ids = seconds.map((second) => newOrderId(new Date(second * 1_000)));
  assert.deepEqual(ids.toSorted(), ids);
  assert.match(ids[2] ?? '', /^o_00000z/);
  assert.match(ids[3] ?? '', /^o_000010/);
});

test('orders and deliveries of one second have ids in the order of their milliseconds', () => {
  const times = Array.from({ length: 1_000 }, (_, ms) => new Date(1_800_000_000_000 + ms));
  const accountId = newAccountId();
  for (const newId of [newOrderId, (time: Date) => newDeliveryId(accountId, time)]) {
    const ids = times.map(newId);
    assert.deepEqual(ids.toSorted(), ids);
  }
  const second = firstOrderIdAt(new Date(1_800_000_000_000));
  for (const time of times) {
    assert.ok(newOrderId(time).startsWith(second));
    assert.deepEqual(findTimeOfOrder(newOrderId(time)), times[0]);
  }
});

test('random base62 has exactly the requested length', () => {
  for (const length of [0, 1, 2, 16, 43, 1_000]) {
    const text = randomBase62(length);
    assert.equal(text.length, length);
    assert.match(text, /^[0-9A-Za-z]*$/);
  }
});

test('a hundred thousand ids are all different', () => {
  const ids = new Set(Array.from({ length: 100_000 }, () => newOrderId(new Date(0))));
  assert.equal(ids.size, 100_000);
});

test('each letter stands for exactly four byte values', () => {
  const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const counts = countLetters(base62Of(everyByte));
  assert.deepEqual(counts, new Map([...letters].map((letter) => [letter, 4])));
});

test('every letter comes up about equally often', () => {
  const counts = countLetters(randomBase62(620_000));
  assert.equal(counts.size, letters.length);
  // Expected 10,000 each with a deviation of about 99: eight of them never happen by chance.
  for (const [letter, count] of counts) {
    assert.ok(Math.abs(count - 10_000) < 800, `${letter} came up ${count} times`);
  }
});

test('the same bytes give the same letters', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      assert.equal(base62Of(bytes), base62Of(Uint8Array.from(bytes)));
      assert.match(base62Of(bytes), /^[0-9A-Za-z]*$/);
    }),
    { numRuns: 1_000 },
  );
});

test('an access key contains its account id', () => {
  for (let round = 0; round < 1_000; round += 1) {
    const accountId = newAccountId();
    assert.match(accessKeyOf(accountId), /^access_key_[0-9A-Za-z]{16}$/);
    assert.equal(findAccountIdOfAccessKey(accessKeyOf(accountId)), accountId);
  }
});

test('a text that is not an access key gives no account id', () => {
  const others = [
    '',
    'access_key_',
    'access_key_0123456789abcde',
    'access_key_0123456789abcdefg',
    'access_key_0123456789abcde!',
    'access_key_0123456789abcdef\n',
    ' access_key_0123456789abcdef',
    'ACCESS_KEY_0123456789abcdef',
    'access_secret_0123456789abcdef',
    'acc_0123456789abcdef',
  ];
  for (const text of others) assert.equal(findAccountIdOfAccessKey(text), undefined, text);
});

test('the id of a payment link leads to its account, and no two links of an account are alike', () => {
  const accountId = newAccountId();
  const links = Array.from({ length: 1_000 }, () => newLinkId(accountId));
  for (const linkId of links) {
    assert.match(linkId, /^[0-9A-Za-z]{32}$/);
    assert.equal(findAccountIdOfLink(linkId), accountId);
  }
  assert.equal(new Set(links.map((linkId) => linkId.slice(16))).size, 1_000);
});

test('a text that is not the id of a payment link gives no account id', () => {
  const half = '0123456789abcdef';
  const texts = ['', half, `${half}${half}0`, `${half}0123456789abcde`, `acc_${half}${half}`];
  for (const text of [...texts, `${half}0123456789abcde-`, `${half}${half}\n`, ` ${half}${half}`]) {
    assert.equal(findAccountIdOfLink(text), undefined, text);
  }
});

test('an id is recognised by its whole shape', () => {
  assert.equal(isAccountId('acc_0123456789abcDEF'), true);
  assert.equal(isOrderId('o_0123456789abcDEF'), true);
  const wrong = ['0123456789abcDEF', '_0123456789abcDEF', '0123456789abcDE', '0123456789abcDEFG'];
  for (const rest of [...wrong, '0123456789abcDE-', '0123456789abcDEF\n', '']) {
    const expected = rest === '0123456789abcDEF';
    assert.equal(isAccountId(`acc_${rest}`), expected, rest);
    assert.equal(isOrderId(`o_${rest}`), expected, rest);
  }
  assert.equal(isAccountId('o_0123456789abcDEF'), false);
  assert.equal(isOrderId('acc_0123456789abcDEF'), false);
  assert.equal(isOrderId('xo_0123456789abcDEF'), false);
});

function countLetters(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return counts;
}
