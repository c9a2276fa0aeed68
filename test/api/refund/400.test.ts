import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const { service, simulator, shop, createPaid } = await startJourney();
const [inr, jpy, kwd] = [
  await createPaid({ invoice_id: 'rupees' }),
  await createPaid(amounts('JPY', 500)),
  await createPaid(amounts('KWD', 1.25)),
];
const transaction_id = inr.transactionId;

const bodies: [name: string, body: unknown, words: RegExp][] = [
  ['an array', [], /JSON object/],
  ['no JSON', '{"transaction_id"', /JSON/],
  ['NaN, which is no JSON', `{"transaction_id":"${transaction_id}","refund_amount":NaN}`, /JSON/],
  ['no id', { refund_amount: 1 }, /^Send (?!.*order_id).*transaction_id.*invoice_id/],
  [
    'an order_id only',
    { order_id: inr.orderId },
    /^Send (?!.*order_id).*transaction_id.*invoice_id/,
  ],
  [
    'an empty transaction_id',
    { transaction_id: '', invoice_id: 'rupees' },
    /^transaction_id must not be empty/,
  ],
  [
    'a null transaction_id',
    { transaction_id: null, invoice_id: 'rupees' },
    /^transaction_id must be of type/,
  ],
  ['an empty invoice_id', { transaction_id, invoice_id: '' }, /^invoice_id must not be empty/],
  ['a null invoice_id', { transaction_id, invoice_id: null }, /^invoice_id must be of type/],
  ['a transaction_id that is an object', { transaction_id: {} }, /^transaction_id must be of type/],
  ['an invoice_id that is true', { invoice_id: true }, /^invoice_id must be of type/],
  [
    'a transaction_id that is too long',
    { transaction_id: 'x'.repeat(1025) },
    /^transaction_id may/,
  ],
  [
    'a request id that is too long',
    { transaction_id, refund_request_id: 'x'.repeat(256) },
    /^refund_request_id may have at most 255/,
  ],
  [
    'a blank request id',
    { transaction_id, refund_request_id: '  ' },
    /^refund_request_id must not be blank/,
  ],
  [
    'an empty request id',
    { transaction_id, refund_request_id: '' },
    /^refund_request_id must not be empty/,
  ],
  [
    'a null request id',
    { transaction_id, refund_request_id: null },
    /^refund_request_id must be of type/,
  ],
  [
    'a request id that is an array',
    { transaction_id, refund_request_id: [] },
    /^refund_request_id must/,
  ],
  [
    'ids that do not belong together',
    { transaction_id: jpy.transactionId, invoice_id: 'rupees' },
    /^transaction_id and invoice_id do not belong together/,
  ],
  ...(['refund_amount', 'amount'] as const).flatMap((field) =>
    [
      ...[null, '', '  ', true, false, {}, [], 0, '0', '0.00', -0.001, -1, '-1'],
      '1e400',
      'NaN',
      'null',
      'abc',
      '1,5',
      '1e2',
      ' 1',
      '0x10',
      '1.',
    ].map((value): [string, unknown, RegExp] => [
      `the ${field} ${JSON.stringify(value)}`,
      { transaction_id, [field]: value },
      new RegExp(`^${field} must `),
    ]),
  ),
  ...[1.001, '1.001', 1e-7, 1e300, 1e14].map((refund_amount): [string, unknown, RegExp] => [
    `${JSON.stringify(refund_amount)} rupees`,
    { transaction_id, refund_amount },
    /^refund_amount /,
  ]),
  [
    'two different amounts',
    { transaction_id, refund_amount: 10.5, amount: '10.51' },
    /^amount is not equal to refund_amount/,
  ],
  [
    'two amounts of which one is null',
    { transaction_id, refund_amount: 10.5, amount: null },
    /^amount must be of type/,
  ],
  [
    'half a yen',
    { transaction_id: jpy.transactionId, refund_amount: 0.5 },
    /^refund_amount has decimals/,
  ],
  [
    'a tenth of a fils',
    { transaction_id: kwd.transactionId, refund_amount: '0.0001' },
    /^refund_amount has more than the 3 decimals/,
  ],
];
for (const [name, body, words] of bodies) {
  test(`${name} is refused, the message names it, and nothing changes`, async () => {
    const before = [await dumpTables(service.database), simulator.ledger()];
    assertRefused(await refund(body), 'INVALID_REQUEST_PARAMETER', words);
    assert.deepEqual([await dumpTables(service.database), simulator.ledger()], before);
  });
}

function refund(body: unknown): Promise<Reply> {
  return service.call('/api/v3/refund', { token: shop.token, body });
}

function amounts(currency: string, total_amount: number) {
  return { currency, amount_before_tax: undefined, tax: 0, total_amount };
}
