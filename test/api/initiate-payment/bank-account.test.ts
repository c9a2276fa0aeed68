/** An order that must be paid from a bank account, from its payment modes to its payment. Contract 3.14. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentModeCode } from '../../../src/domain/payment-mode.ts';
import { eraseIn } from '../../support/erasure.ts';
import { startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const journey = await startJourney();
const { service, simulator, shop, openShop, initiate, pay, enquire, assertSound } = journey;
const bank_account = { account_number: '50100123456789', name: 'Asha Q Rao', ifsc: 'HDFC0009876' };
const createOrder = (changes: object = {}) => journey.createOrder({ bank_account, ...changes });

test('only the modes whose provider checks the account are listed', async () => {
  assert.deepEqual(await modesFor(shop.token), ['upi', 'net_banking']);
  const { paymentModes } = await service.services.accounts.get(shop.accountId);
  const other = await openShop({ paymentModes: { ...paymentModes, debit_card: 'partner' } });
  assert.deepEqual(await modesFor(other.token), ['upi', 'debit_card', 'net_banking']);
});

test('its banks are listed, and no wallets', async () => {
  const body = { order_id: await createOrder() };
  const { token } = shop;
  const banks = await service.call('/api/v3/list-of-banks', { token, body });
  assert.ok(banks.body.items.some((each: { bank_code: string }) => each.bank_code === 'HDFC'));
  const wallets = await service.call('/api/v3/list-of-wallets', { token, body });
  assert.deepEqual(wallets.body.items, []);
});

test('another mode is refused with the reason, whether or not the account offers it', async () => {
  const order_id = await createOrder();
  const before = await dumpTables(service.database);
  for (const mode of ['credit_card', 'debit_card', 'prepaid_card', 'wallet'] as const) {
    const reply = await initiate(order_id, mode);
    const why = new RegExp(`must be paid from its bank_account, and for ${mode} .* at Razorpay`);
    assertRefused(reply, 'PAYMENT_MODE_NOT_ALLOWED', why);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a mode that could check the account and is not enabled is refused as such', async () => {
  const { token } = await openShop({ paymentModes: { upi: 'partner' } });
  const { body } = await service.call('/api/v3/create-order', {
    token,
    body: orderBody({ bank_account }),
  });
  const wanted = { order_id: body.order_id, payment_mode_code: 'debit_card' };
  const reply = await service.call('/api/v3/initiate-payment', { token, body: wanted });
  assertRefused(reply, 'PAYMENT_MODE_NOT_ENABLED');
});

for (const mode of ['upi', 'net_banking'] as const) {
  test(`a payment by ${mode} from the account succeeds, and one from another fails with its own reason`, async () => {
    const order_id = await createOrder();
    const failed = await pay(order_id, mode, 'pay-from-another');
    await simulator.settled();
    const [element] = (await enquire({ transaction_id: failed })).body.transaction;
    assert.equal(element.payment_status, 'failed');
    const { svc_error_code, svc_consumer_message, retry_allowed } = element.failure_reason;
    assert.deepEqual([svc_error_code, retry_allowed], ['BANK_ACCOUNT_MISMATCH', true]);
    assert.match(svc_consumer_message, /pay from that account/);
    service.advanceSeconds(1);
    await pay(order_id, mode);
    await simulator.settled();
    const { body } = await enquire({ order_id });
    assert.equal(body.order.status, 'completed');
  });
}

test('the partner has the account, and refuses an order whose account is not complete', async () => {
  const order_id = await createOrder({ bank_account: { account_number: '50100123456789' } });
  const { body } = await initiate(order_id);
  assert.equal(body.payment_status, 'failed');
  const [element] = (await enquire({ transaction_id: body.transaction_id })).body.transaction;
  assert.equal(element.failure_reason.svc_error_code, 'BANK_ACCOUNT_MISMATCH');
});

test('the number is in no table and in no log line after all of this', async () => {
  const dump = JSON.stringify(await dumpTables(service.database));
  for (const value of ['50100123456789', 'Asha Q Rao', 'HDFC0009876']) {
    assert.ok(!dump.includes(value), value);
    assert.ok(!service.logText().includes(value), value);
  }
});

test('an order whose account was erased can be paid in no mode, and says why', async () => {
  const user = { email: 'zoya@example.net', first_name: 'Zoya', mobile_number: '9000000077' };
  const order_id = await createOrder({ user });
  await eraseIn(service, shop.accountId, ['--email', user.email]);
  for (const mode of ['upi', 'credit_card'] as const) {
    assertRefused(await initiate(order_id, mode), 'PAYMENT_MODE_NOT_ALLOWED', /was erased/);
  }
  await assertSound();
});

async function modesFor(token: string): Promise<PaymentModeCode[]> {
  const body = orderBody({ bank_account });
  const { order_id } = (await service.call('/api/v3/create-order', { token, body })).body;
  const reply = await service.call('/api/v3/payment-modes', { token, body: { order_id } });
  const { fast_payment_modes: fast, other_payment_modes: other } = reply.body;
  assert.deepEqual(fast.items, []);
  return other.items.map((item: { payment_mode_code: PaymentModeCode }) => item.payment_mode_code);
}
