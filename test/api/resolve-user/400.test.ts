import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const { body: order } = await service.call('/api/v3/create-order', {
  token: account.token,
  body: orderBody(),
});
const before = await dumpTables(service.database);

const refusals: [name: string, changes: Record<string, unknown>, told: RegExp][] = [
  ['no order_id', { order_id: undefined }, /^order_id is missing/],
  ['null for an order_id', { order_id: null }, /^order_id is missing/],
  ['an empty order_id', { order_id: '' }, /^order_id is missing/],
  ['no mobile_number', { mobile_number: undefined }, /^mobile_number is missing/],
  ['null for a mobile_number', { mobile_number: null }, /^mobile_number must be of type/],
  ['an empty mobile_number', { mobile_number: '' }, /^mobile_number must not be empty/],
  ['a mobile_number too short', { mobile_number: '123' }, /^mobile_number must be 4 to 15 digits/],
  ['one too long', { mobile_number: '1234567890123456' }, /^mobile_number must be 4 to 15/],
  [
    'one with letters',
    { mobile_number: '98765 4321O' },
    /^mobile_number must be 4 to 15.*\+91 98765/,
  ],
  [
    'one of another country',
    { mobile_number: '+447911123456', country_code: '91' },
    /^mobile_number .*\+44.*\+91/,
  ],
  ['one with a point', { mobile_number: 98765.5 }, /^mobile_number must be 4 to 15/],
  ['a negative one', { mobile_number: -98765 }, /^mobile_number must be 4 to 15/],
  ['a masked one', { mobile_number: '******3210' }, /^mobile_number must be 4 to 15/],
  ['a list for a mobile_number', { mobile_number: [98765] }, /^mobile_number must be of type/],
  ['a bad e-mail address', { email: 'asha' }, /^email must be an e-mail address/],
  ['an e-mail address too long', { email: `${'a'.repeat(254)}@b` }, /^email .* 254/],
  ['a bad country code', { country_code: 'IN' }, /^country_code must be/],
  ['a number for a name', { first_name: 7 }, /^first_name must be of type string/],
];
for (const [name, changes, told] of refusals) {
  test(`${name} is refused, the message names the field, and nothing changes`, async () => {
    const reply = await service.call('/api/v3/resolve-user', {
      token: account.token,
      body: { order_id: order.order_id, mobile_number: '9000000001', ...changes },
    });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', told);
    assert.deepEqual(await dumpTables(service.database), before);
  });
}
