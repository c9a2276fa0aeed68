/** The checkout page of an order that must be paid from a bank account. Contract 3.14. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCheckout } from '../../support/checkout.ts';
import { startJourney } from '../../support/journey.ts';

const journey = await startJourney();
const { service, simulator, shop } = journey;
const { accountId } = shop;
const bank_account = { account_number: '50100123456789', name: 'Asha Q Rao', ifsc: 'HDFC0009876' };

test('the page says from which account to pay, offers what is checked, and preselects its bank first', async () => {
  const { page } = await open();
  assert.match(page.text, /Pay from your bank account ending in 6789\./);
  const modes = [...page.text.matchAll(/name="payment_mode_code" value="(\w+)"/g)];
  assert.deepEqual(
    modes.map(([, code]) => code),
    ['upi', 'net_banking'],
  );
  const banks = [...page.text.matchAll(/name="bank_code" value="(\w+)"( checked)?/g)];
  assert.deepEqual([banks[0]?.[1], banks[0]?.[2]], ['HDFC', ' checked']);
  assert.equal(banks.filter(([, , checked]) => checked).length, 1);
  assert.equal(banks.filter(([, code]) => code === 'HDFC').length, 1);
  assert.doesNotMatch(page.text, /50100123456789|Asha Q Rao|HDFC0009876/);
});

test('a bank that the provider names with a suffix is found, and an unknown one preselects none', async () => {
  const preset = async (ifsc: string) => {
    const { page } = await open({ bank_account: { ...bank_account, ifsc } });
    return /name="bank_code" value="(\w+)" checked/.exec(page.text)?.[1];
  };
  assert.equal(await preset('BARB0VJMUMB'), 'BARB_R');
  assert.equal(await preset('ZZZZ0000001'), undefined);
});

test('the page says it in Hindi, and while a payment is open', async () => {
  const { orderId, ...browser } = await open();
  await browser.get(`/checkout/${orderId}/language/hi`);
  const hindi = await browser.get(`/checkout/${orderId}`);
  assert.match(hindi.text, /अंतिम अंक 6789 हैं/);
  await browser.get(`/checkout/${orderId}/language/en`);
  await browser.submit(await browser.get(`/checkout/${orderId}`), { payment_mode_code: 'upi' });
  const waiting = await browser.get(`/checkout/${orderId}`);
  assert.match(waiting.text, /Waiting for your bank/);
  assert.match(waiting.text, /ending in 6789/);
});

test('a mode that is not checked starts no payment', async () => {
  const { orderId, ...browser } = await open();
  const refused = await browser.submit(browser.page, { payment_mode_code: 'credit_card' });
  assert.equal(refused.status, 409);
  assert.match(refused.text, /This way to pay is not available now/);
  const { body } = await journey.enquire({ order_id: orderId });
  assert.deepEqual(body.transaction, []);
});

test('after a payment from another account the page says so, and the right one pays the order', async () => {
  const orderId = await journey.createOrder({ bank_account });
  await journey.pay(orderId, 'net_banking', 'pay-from-another');
  await simulator.settled();
  const browser = await openCheckout(service, { accountId, orderId });
  assert.match(browser.page.text, /did not come from the bank account/);
  assert.match(browser.page.text, /ending in 6789/);
});

test('an order without a bank account says nothing of one, and preselects no bank', async () => {
  const { page } = await open({ bank_account: undefined });
  assert.doesNotMatch(page.text, /bank account/);
  assert.doesNotMatch(page.text, /name="bank_code" value="\w+" checked/);
});

async function open(changes: object = {}) {
  const orderId = await journey.createOrder({ bank_account, ...changes });
  return { orderId, ...(await openCheckout(service, { accountId, orderId })) };
}
