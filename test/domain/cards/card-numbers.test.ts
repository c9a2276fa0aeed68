import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  holdsCardNumber,
  maskCardField,
  maskCardNumbers,
} from '../../../src/domain/cards/card-numbers.ts';
import { newAccountId, newDeliveryId, newOrderId } from '../../../src/domain/ids.ts';
import { newTransactionId } from '../../../src/domain/order-state/matching.ts';
import { createDealer } from '../../support/card-disguises.ts';
import { searchTexts } from '../../support/card-search.ts';

suite('a card number keeps its first six and last four digits', () => {
  const masked: Record<string, string> = {
    '4111111111111111': '411111******1111',
    '378282246310005': '378282*****0005',
    '4222222222222': '422222***2222',
    '6011111111111117': '601111******1117',
    '8171999927660000': '817199******0000',
    '5610591081018250': '561059******8250',
    '2223003122003222': '222300******3222',
    'card 4111111111111111 please': 'card 411111******1111 please',
    '4111 1111 1111 1111': '4111 11** **** 1111',
    '3782-822463-10005': '3782-82****-*0005',
    '4111.1111.1111.1111': '4111.11**.****.1111',
    '4111\u00a01111\u202f1111\u20091111': '4111\u00a011**\u202f****\u20091111',
    '4111\u20111111\u20131111\u20141111': '4111\u201111**\u2013****\u20141111',
    '4111 - 1111 - 1111 - 1111': '4111 - 11** - **** - 1111',
    '4111\n1111\n1111\n1111': '4111\n11**\n****\n1111',
    '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1': '4 1 1 1 1 1 * * * * * * 1 1 1 1',
    '４１１１１１１１１１１１１１１１': '４１１１１１******１１１１',
    '٤١١١ ١١١١ ١١١١ ١١١١': '٤١١١ ١١** **** ١١١١',
    '४१११११११११११११११': '४१११११******११११',
    '𝟒𝟏𝟏𝟏 1111 1111 1111': '𝟒𝟏𝟏𝟏 11** **** 1111',
    '⒋111 1111 1111 1111': '⒋111 11** **** 1111',
    '4111\u200b1111\u200b1111\u200b1111': '4111\u200b11**\u200b****\u200b1111',
    'qty 2 4111 1111 1111 1111': 'qty 2 4111 11** **** 1111',
    'x4111-1111-1111-1111y': 'x4111-11**-****-1111y',
    '**4111 1111 1111 1111**': '**4111 11** **** 1111**',
    '+4111111111111111': '+411111******1111',
    '0004111111111111111': '000411111******1111',
    '4.111111111111111e15': '411111******1111',
    '41111111111111110E-1': '411111******1111',
    'https://a.example/?c=4111%201111%2D1111%2e1111':
      'https://a.example/?c=4111%2011**%2D****%2e1111',
    'https://a.example/?c=4111+1111+1111+1111': 'https://a.example/?c=4111+11**+****+1111',
    '%34111111111111111': '%3411111******1111',
    'save 5%4111111111111111': 'save 5%411111******1111',
    '%378282246310005': '%378282*****0005',
    '%EF%BC%94111111111111111': '%EF%BC%9411111******1111',
    '\\u0034\\u003111 11\\u00311 1111 \\u0031111': '\\u0034\\u003111 11** **** \\u0031111',
    '4111\\u00201111\\u002d1111\\n1111': '4111\\u002011**\\u002d****\\n1111',
    '\\uFF14111\\ud835\\udfcf11\\ud835\\udfcf11111111': '\\uFF14111\\ud835\\udfcf1******1111',
    '\\\\u0034111111111111111': '\\\\u003411111******1111',
    'x&#52;&#49;11&#32;1111&#45;&#x31;&#X0031;11 1111': 'x&#52;&#49;11&#32;11**&#45;**** 1111',
    '&#52&#49&#49&#49&nbsp;1111-1111-1111': '&#52&#49&#49&#49&nbsp;11**-****-1111',
    '&amp;#52;111111111111111': '&amp;#52;11111******1111',
    '%26%2352%3B111111111111111': '%26%2352%3B11111******1111',
    'save 5%4111\\u0031111 1111 1111': 'save 5%4111\\u00311** **** 1111',
    '\\u4111111111111111 &#4111111111111111': '\\u411111******1111 &#411111******1111',
  };
  for (const [text, expected] of Object.entries(masked)) {
    test(JSON.stringify(text), () => {
      assert.equal(maskCardNumbers(text), expected);
      assert.ok(holdsCardNumber(text));
      assert.equal(maskCardNumbers(expected), expected);
    });
  }
});

test('a text without a card number stays unchanged', () => {
  const others = [
    '4111111111111112', // Luhn
    '1234567890123452', // begins with 1
    '7111111111111114', // begins with 7
    '411111111111', // too short
    '41111111111111111111', // a run of twenty digits
    '94111111111111111', // digits before it
    '4111,1111,1111,1111', // a list
    '4111/1111/1111/1111',
    '411111******1111',
    '411111xxxxxx1111',
    'order 20261115 of 9876543210',
  ];
  for (const text of others) {
    assert.equal(maskCardNumbers(text), text);
    assert.equal(holdsCardNumber(text), false);
  }
});

test('ordinary content stays unchanged', () => {
  const random = createDealer(20_261_116);
  const digits = (length: number) =>
    Array.from({ length }, () => random.pick([...'0123456789'])).join('');
  const now = new Date();
  for (let round = 0; round < 2_000; round += 1) {
    const at = new Date(1.7e12 + Number(digits(11)));
    const orderId = newOrderId(at);
    const ordinary = [
      `+91 ${digits(5)} ${digits(5)}`,
      `+91-${digits(10)}`,
      `0091 ${digits(10).replace(/^./, '9')}`,
      at.toISOString(),
      at.toISOString().replace('T', ' '),
      `${at.getTime()}`,
      `INR ${digits(7)}.${digits(2)}`,
      `${digits(3)},${digits(3)},${digits(3)}.${digits(2)}`,
      `${digits(3)}.${digits(3)}.${digits(3)}.${digits(3)}`,
      orderId,
      newTransactionId(orderId, new Set(), at),
      `${newTransactionId(orderId, new Set(), at)}-2`,
      `refund of ${newTransactionId(orderId, new Set(), at)}, please`,
      newDeliveryId(newAccountId(), now),
      randomUUID(),
      `request ${randomUUID().toUpperCase()}.`,
      `pay_${digits(12)}`,
      `Flat ${digits(3)}, ${digits(2)} MG Road, Bengaluru ${digits(6)}`,
    ];
    for (const text of ordinary) assert.equal(maskCardNumbers(text), text);
  }
});

test('masking is idempotent and never leaves a card number, in any spelling', () => {
  const dealer = createDealer(7);
  const parts = fc.oneof(
    fc.string(),
    fc.constantFrom('4', '41', ' ', '-', '.', '*', '000', '⑪', '1 1 1 1', '22 ', '%34', '%20', '+'),
    fc.constantFrom('\\', '\\u0034', '\\u', 'u0031', '&#52;', '&#x31', '&amp;', '&#', '%5C', '%26'),
    fc.string({ unit: fc.constantFrom(...'0123456789 -.*'), minLength: 1, maxLength: 40 }),
    fc.nat().map(() => dealer.deal('text')),
  );
  fc.assert(
    fc.property(fc.array(parts), fc.constantFrom('', ' ', 'x'), (texts, between) => {
      const text = texts.join(between);
      const masked = maskCardNumbers(text);
      assert.equal(maskCardNumbers(masked), masked, text);
      assert.equal(holdsCardNumber(masked), false);
      const inField = maskCardField(text);
      assert.equal(maskCardField(inField), inField, text);
      assert.equal(holdsCardNumber(inField), false);
    }),
    { numRuns: 3000 },
  );
});

test('a card number is found in every spelling', () => {
  const dealer = createDealer(Date.now() % 2 ** 31);
  for (let round = 0; round < 5_000; round += 1) {
    const text = dealer.deal('text');
    const found = searchTexts([maskCardNumbers(text)], dealer.numbers, dealer.codes);
    assert.deepEqual(found, []);
    assert.notEqual(maskCardNumbers(text), text);
  }
});

test('two overlapping numbers are both masked', () => {
  const masked = maskCardNumbers('4222 222222222 4111 1111 1111 1111');
  assert.equal(searchTexts([masked], new Map([['4111111111111111', 'x']]), new Map()).length, 0);
  assert.equal(searchTexts([masked], new Map([['4222222222222', 'x']]), new Map()).length, 0);
});

test('a card field shows at most ten digits, for any checksum and first digit', () => {
  assert.equal(maskCardField('4111 1111 1111 1112'), '4111 11** **** 1112');
  assert.equal(maskCardField('1234567890123'), '123456***0123');
  assert.equal(maskCardField('9999/9999/9999/9999/9999'), '9999/99**/****/****/9999');
  assert.equal(maskCardField('4.111111111111112e15'), '411111******1112');
  for (const text of ['411111xxxxxx1111', '4111 11** **** 1111', '123456789012', 'HDFC BANK', '']) {
    assert.equal(maskCardField(text), text);
  }
});
