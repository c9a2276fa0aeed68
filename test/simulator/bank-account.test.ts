/** Orders that must be paid from one bank account, at the simulated partner. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, type Json, startShop } from './support.ts';

const bank_account = { account_number: '50100123456789', name: 'Asha Rao', ifsc: 'SBIN0001234' };

test('the payment page asks from which account to pay, by its last digits', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  const page = async (fields: Json) => {
    const id = await openOrder(undefined, fields);
    const url = `${simulator.url}/v1/checkout/embedded?order_id=${id}`;
    return (await fetch(url)).text();
  };
  const text = await page({ bank_account, method: 'netbanking' });
  assert.match(text, /value="pay">Pay from the account ending in 6789</);
  assert.match(text, /value="pay-from-another">Pay from another account</);
  assert.match(text, /<dd>Netbanking<\/dd>/);
  assert.doesNotMatch(text, /50100123456789/);
  assert.doesNotMatch(await page({}), /pay-from-another/);
});

test('a payment from another account fails as at the partner, and one from the right account is captured', async (t) => {
  const shop = await startShop(t);
  const id = await shop.openOrder(undefined, { bank_account, method: 'netbanking' });
  const act = (action: string) =>
    fetch(`${shop.simulator.url}/v1/checkout/${id}/act`, {
      method: 'POST',
      body: new URLSearchParams({ action }),
    });
  assert.match(await (await act('pay-from-another')).text(), /not made from the bank account/);
  await shop.simulator.settled();
  const [failed] = shop.receiver.received;
  assert.deepEqual(eventsOf(shop.receiver.received), ['payment.failed']);
  const { entity } = JSON.parse(failed?.body ?? '').payload.payment;
  assert.deepEqual(
    [entity.error_code, entity.error_reason, entity.bank],
    ['BAD_REQUEST_ERROR', 'bank_account_validation_failed', 'SBIN'],
  );
  await act('pay');
  await shop.simulator.settled();
  const statuses = shop.simulator.ledger().payments.map(({ status }) => status);
  assert.deepEqual(statuses, ['failed', 'captured']);
  assert.ok(shop.receiver.received.every(({ body }) => !body.includes('50100123456789')));
});

test('without a bank account, paying from another one is paying', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  await simulator.pay(await openOrder(), 'pay-from-another');
  assert.equal(simulator.ledger().payments[0]?.status, 'captured');
});

const refused: [name: string, fields: Json, field: string | undefined][] = [
  ['another currency', { currency: 'USD' }, undefined],
  ['another method', { method: 'wallet' }, 'method'],
  ['no number', { bank_account: { ...bank_account, account_number: undefined } }, 'account_number'],
  ['no name', { bank_account: { ...bank_account, name: undefined } }, 'name'],
  ['a wrong IFSC', { bank_account: { ...bank_account, ifsc: 'SBIN' } }, 'ifsc'],
];
for (const [name, fields, field] of refused) {
  test(`an order with ${name} is refused`, async (t) => {
    const { partner } = await startShop(t);
    const order = { amount: 1050, currency: 'INR', receipt: 'o_1', bank_account, ...fields };
    const { status, body } = await partner('POST', '/v1/orders', order);
    assert.equal(status, 400);
    const said = String((body.error as Json).field ?? '')
      .split('.')
      .at(-1);
    assert.equal(said, field ?? '');
  });
}
