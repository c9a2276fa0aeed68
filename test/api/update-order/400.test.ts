import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullOrderBody, orderBody } from '../../support/order-bodies.ts';
import { checkingAccounts } from '../../support/test-account.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount({
  ...checkingAccounts,
  alternateCurrencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
});
const { order_id } = await create(fullOrderBody());
const converted = await create(orderBody({ currency: 'USD' }));
const before = await dumpTables(service.database);

const refusals: [name: string, body: Record<string, unknown>, told: RegExp][] = [
  ['no order_id', { order_id: undefined }, /^order_id is missing/],
  ['null for an order_id', { order_id: null }, /^order_id is missing/],
  ['an empty order_id', { order_id: '' }, /^order_id is missing/],
  ['a number for an order_id', { order_id: 7 }, /^order_id /],
  ['an order_id too long', { order_id: 'o'.repeat(1_025) }, /^order_id .* 1024/],
  ['another currency', { currency: 'USD' }, /^currency must stay INR/],
  ['a currency in lower case', { currency: 'inr' }, /^currency must stay INR/],
  ['no total among the amounts', { tax: 1 }, /^total_amount is missing/],
  ['only an amount before tax', { amount_before_tax: 1 }, /^total_amount is missing/],
  ['amounts that do not add up', { amount_before_tax: 1, total_amount: 3 }, /^total_amount /],
  ['a tax above the total', { tax: 4, total_amount: 3 }, /^tax /],
  ['a total of 0', { total_amount: 0 }, /^total_amount must be more than 0/],
  ['a negative total', { total_amount: -1 }, /^total_amount /],
  ['too many decimals', { total_amount: '1.001' }, /^total_amount /],
  ['an amount of words', { total_amount: 'ten' }, /^total_amount /],
  ['a total that the cart does not have', { total_amount: 119 }, /^order_line_items must add up/],
  [
    'a cart that the total does not have',
    { order_line_items: [{ title: 'Tea', rate: 1, quantity: 1 }] },
    /^order_line_items must add up/,
  ],
  [
    'an item without a title',
    { order_line_items: [{ rate: 1, quantity: 1 }] },
    /^order_line_items\[0\]\.title is missing/,
  ],
  [
    'an item without a quantity above 0',
    { order_line_items: [{ title: 'Tea', rate: 1, quantity: 0 }] },
    /^order_line_items\[0\]\.quantity /,
  ],
  ['a bad e-mail address', { user: { email: 'asha' } }, /^user\.email /],
  ['a bad mobile number', { user: { mobile_number: '+91 98' } }, /^user\.mobile_number /],
  ['a masked mobile number', { user: { mobile_number: '******3210' } }, /^user\.mobile_number /],
  ['a bad country code', { user: { country_code: 'IN' } }, /^user\.country_code /],
  ['words for a consumer', { user: 'Asha' }, /^user must be of type object/],
  ['words for an address', { shipping_address: 'here' }, /^shipping_address must be of type/],
  ['a description too long', { description: 'x'.repeat(1_025) }, /^description .* 1024/],
  ['a number for a callback_url', { callback_url: 7 }, /^callback_url /],
  ['nested attributes', { custom_attributes: { a: {} } }, /^custom_attributes\.a /],
  [
    'the converted currency of a converted order',
    { order_id: converted.order_id, currency: 'INR', total_amount: 1 },
    /^currency must stay USD/,
  ],
];
for (const [name, changes, told] of refusals) {
  test(`${name} is refused, the message names the field, and nothing changes`, async () => {
    const reply = await service.call('/api/v3/update-order', {
      token: account.token,
      body: { order_id, description: 'changed', ...changes },
    });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', told);
    assert.deepEqual(await dumpTables(service.database), before);
  });
}

test("an account that requires the consumer's details accepts an update only if they are complete", async () => {
  const { order_id } = await create(orderBody());
  const resolve = { order_id, mobile_number: '9000000001' };
  await service.call('/api/v3/resolve-user', { token: account.token, body: resolve });
  const update = (user: Record<string, string>) =>
    service.call('/api/v3/update-order', { token: account.token, body: { order_id, user } });
  const incomplete = await update({ email: 'ravi@example.com' });
  assertRefused(incomplete, 'INVALID_REQUEST_PARAMETER', /^user\.first_name is missing/);
  assert.equal((await update({ email: 'ravi@example.com', first_name: 'Ravi' })).status, 200);
});

test('a body that is not a JSON object is refused', async () => {
  for (const body of ['', '[]', '"x"', 'null', '{not json']) {
    const reply = await service.call('/api/v3/order', {
      method: 'PATCH',
      token: account.token,
      body,
    });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /body/);
  }
});

async function create(body: Record<string, unknown>): Promise<{ order_id: string }> {
  return (await service.call('/api/v3/create-order', { token: account.token, body })).body;
}
