import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sealPayload } from '../../../src/security/sealed-payload.ts';
import { startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const calls: string[] = [];
const { service, shop, openShop, createOrder } = await startJourney({
  beforeAnswer: async ({ operation }) => void calls.push(operation),
});
const order_id = await createOrder();
const upi = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };
const bank = { order_id, payment_mode_code: 'net_banking', bank_code: 'HDFC' };
const wallet = { order_id, payment_mode_code: 'wallet', wallet_code: 'paytm' };
const unknownOrder = 'o_0000000000000000';

const bodies: [name: string, body: unknown, words: RegExp][] = [
  ['an array', [], /JSON object/],
  ['no JSON', '{"order_id"', /JSON/],
  ['no order_id', { ...upi, order_id: undefined }, /^order_id is missing/],
  ['an empty order_id', { ...upi, order_id: '' }, /^order_id is missing/],
  ['an order_id that is a number', { ...upi, order_id: 5 }, /^order_id must be of type string/],
  ['no mode', { order_id }, /^payment_mode_code is missing/],
  [
    'an unknown mode',
    { ...upi, payment_mode_code: 'cash' },
    /^payment_mode_code must be one of upi, /,
  ],
  [
    'a mode that no merchant can offer',
    { ...upi, payment_mode_code: 'Pay Later' },
    /^payment_mode_code must be one of upi, credit_card, debit_card, net_banking, wallet, prepaid_card, card, netbanking\.$/,
  ],
  ['a mode that is null', { ...upi, payment_mode_code: null }, /^payment_mode_code /],
  [
    'a mode of every object',
    { ...upi, payment_mode_code: 'constructor' },
    /^payment_mode_code must/,
  ],
  ['a upi id that is a number', { ...upi, upi_id: 5 }, /^upi_id must be of type string/],
  ...['asha', '@okbank', 'asha@', 'a b@okbank', 'asha@ok@bank', 'asha@okbank\n', '<a>@okbank'].map(
    (upi_id): [string, unknown, RegExp] => [
      `the upi id ${JSON.stringify(upi_id)}`,
      { ...upi, upi_id },
      /^upi_id is not valid/,
    ],
  ),
  [
    'a upi id that is too long',
    { ...upi, upi_id: `${'a'.repeat(255)}@b` },
    /^upi_id may have at most/,
  ],
  ['net_banking without a bank', { ...bank, bank_code: undefined }, /^bank_code is missing/],
  ['a bank of one letter', { ...bank, bank_code: 'H' }, /^bank_code is not valid/],
  ['a bank with a space', { ...bank, bank_code: 'HDFC bank' }, /^bank_code is not valid/],
  ['a bank with markup', { ...bank, bank_code: '<b>HDFC' }, /^bank_code is not valid/],
  [
    'a bank that is too long',
    { ...bank, bank_code: 'H'.repeat(65) },
    /^bank_code may have at most/,
  ],
  ['a bank that is an object', { ...bank, bank_code: {} }, /^bank_code must be of type string/],
  ['wallet without a wallet', { ...wallet, wallet_code: undefined }, /^wallet_code is missing/],
  ['a wallet with SQL', { ...wallet, wallet_code: "x' or 1=1" }, /^wallet_code is not valid/],
  ...['javascript:alert(1)', '/back', 'ftp://shop.example', 'shop.example', 'data:,x'].map(
    (callback_url): [string, unknown, RegExp] => [
      `the callback_url ${callback_url}`,
      { ...upi, callback_url },
      /^callback_url must be an https URL/,
    ],
  ),
  [
    'a callback_url that is too long',
    { ...upi, callback_url: `https://${'a'.repeat(1025)}` },
    /^callback_url may/,
  ],
  ['a callback_url that is a number', { ...upi, callback_url: 5 }, /^callback_url must be of type/],
  ['a wrong mode of an unknown order', { ...upi, order_id: unknownOrder, upi_id: 'x' }, /^upi_id /],
];
for (const [name, body, words] of bodies) {
  test(`${name} is refused, the message names it, and nothing happens`, async () => {
    await assertNothingHappens(async () => {
      assertRefused(await start(body), 'INVALID_REQUEST_PARAMETER', words);
    });
  });
}

const pan = '4111111111111111';
const panInGroups = '4111-1111-1111-1111';
const securityCode = 'security-code-737';
const cards: [name: string, fields: Record<string, unknown>, field: string][] = [
  ['card_number', { card_number: pan }, 'card_number'],
  ['card_number as a number', { card_number: Number(pan) }, 'card_number'],
  ['a card object', { card: { number: pan, cvv: securityCode } }, 'card'],
  ['cardNumber', { cardNumber: pan }, 'cardNumber'],
  ['CARD', { CARD: pan }, 'CARD'],
  ['pan', { pan }, 'pan'],
  ['cvv', { cvv: securityCode }, 'cvv'],
  ['cvc', { cvc: securityCode }, 'cvc'],
  ['csc', { csc: securityCode }, 'csc'],
  ['security_code', { security_code: securityCode }, 'security_code'],
  ['expiry_month', { expiry_month: '12' }, 'expiry_month'],
  ['a card number as the bank', { ...bank, bank_code: pan }, 'bank_code'],
  ['a card number in groups', { ...bank, bank_code: panInGroups }, 'bank_code'],
  ['a card number as the wallet', { ...wallet, wallet_code: pan }, 'wallet_code'],
  ['a card number in the upi id', { ...upi, upi_id: `${pan}@okbank` }, 'upi_id'],
  [
    'a card number in callback_url',
    { callback_url: `https://shop.example/?c=${pan}` },
    'callback_url',
  ],
  ['a card number in a field of no meaning', { remark: `card ${pan} please` }, 'remark'],
];
for (const [name, fields, field] of cards) {
  test(`${name} is refused by name, whatever the mode and the order`, async () => {
    for (const base of [upi, { order_id, payment_mode_code: 'credit_card' }]) {
      for (const id of [order_id, unknownOrder]) {
        await assertNothingHappens(async () => {
          const reply = await start({ ...base, ...fields, order_id: id });
          assertRefused(reply, 'INVALID_REQUEST_PARAMETER', new RegExp(`^${field} `));
          assertNoCardData(JSON.stringify(reply.body));
        });
      }
    }
  });
}

test('a sealed card number is refused like a plain one', async () => {
  const account = await openShop({ encryptedPayloads: true });
  await assertNothingHappens(async () => {
    const wished = { order_id, payment_mode_code: 'credit_card', card_number: pan };
    const encrypted_payload = sealPayload(JSON.stringify(wished), account.accessSecret);
    const reply = await service.call('/api/v3/initiate-payment', {
      token: account.token,
      headers: { encryption: 'ignore' },
      body: { encrypted_payload },
    });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /^card_number /);
  });
});

test('a card number as the name of a field is refused and not echoed', async () => {
  for (const fields of [{ [`card ${pan}`]: true }, { [pan]: pan }]) {
    await assertNothingHappens(async () => {
      const reply = await start({ ...upi, ...fields });
      assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /page of the provider/);
      assertNoCardData(JSON.stringify(reply.body));
    });
  }
});

test('nested card data is ignored: neither stored, nor sent, nor returned', async () => {
  const details = { number: pan, list: [{ cvv: securityCode, pan: Number(pan) }] };
  const reply = await start({ order_id, payment_mode_code: 'credit_card', details });
  assertNoCardData(JSON.stringify(reply.body));
});

/** Last in this file: it checks what all other tests stored and logged. */
test('no card data that was sent here is in the database or in a log line', async () => {
  assertNoCardData(JSON.stringify(await dumpTables(service.database)));
  assertNoCardData(service.logText());
});

function start(body: unknown): Promise<Reply> {
  return service.call('/api/v3/initiate-payment', { token: shop.token, body });
}

/** Nothing was stored here, and no provider was called. */
async function assertNothingHappens(act: () => Promise<void>): Promise<void> {
  const before = [await dumpTables(service.database), calls.length];
  await act();
  assert.deepEqual([await dumpTables(service.database), calls.length], before);
}

function assertNoCardData(text: string): void {
  for (const secret of [pan, panInGroups, securityCode])
    assert.ok(!text.includes(secret), text.slice(0, 500));
}
