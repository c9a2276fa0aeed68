import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  holdsCardNumber,
  maskCardNumbers,
  maskCardNumbersIn,
} from '../../src/domain/card-numbers.ts';

const cards = ['4111111111111111', '5555555555554444', '378282246310005', '6011111111111117'];

test('a card number standing alone keeps its first six and last four digits', () => {
  assert.equal(maskCardNumbers('card 4111111111111111 please'), 'card 411111******1111 please');
  assert.equal(maskCardNumbers('378282246310005'), '378282*****0005');
  for (const card of cards) assert.ok(holdsCardNumber(`x ${card}.`));
});

test('what is no card number stays as it is', () => {
  const others = [
    '4111111111111112', // Luhn
    '1234567890123452', // begins with 1
    '411111111111', // too short
    '41111111111111111111', // too long
    '94111111111111111', // digits before it
    'order 20261115 of 9876543210',
  ];
  for (const text of others) {
    assert.equal(maskCardNumbers(text), text);
    assert.equal(holdsCardNumber(text), false);
  }
});

test('references are left alone, the number of a card is not', () => {
  const card = cards[0];
  const masked = '411111******1111';
  assert.deepEqual(
    maskCardNumbersIn({
      order: { id: card, reference: card, receipt: card, description: card },
      refund: { acquirer_data: { arn: card, rrn: card, utr: card }, receipt: card },
      sourceOfFunds: { provided: { card: { number: card, issuer: card } } },
      notes: [card],
      invoice_id: card,
      card_number: card,
      cards: [{ number: card, cvv: '123' }],
      amount: 4111111111111111,
    }),
    {
      order: { id: card, reference: card, receipt: card, description: masked },
      refund: { acquirer_data: { arn: card, rrn: card, utr: card }, receipt: card },
      sourceOfFunds: { provided: { card: { number: masked, issuer: masked } } },
      notes: [masked],
      invoice_id: card,
      card_number: masked,
      cards: [{ number: masked, cvv: '***' }],
      amount: 4111111111111111,
    },
  );
});

test('masking twice is masking once, and never leaves a card number', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...cards))), (parts) => {
      const masked = maskCardNumbers(parts.join(' '));
      assert.equal(maskCardNumbers(masked), masked);
      assert.equal(holdsCardNumber(masked), false);
    }),
    { numRuns: 1000 },
  );
});
