import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  sendGateway,
  sendPartner,
} from '../../support/deliveries.ts';
import { modeOf, startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const journey = await startJourney();
const { service, simulator, shop, createOrder, createPaid, pay } = journey;
const { initiate, refund, enquire, assertSound } = journey;

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`more than the available amount is refused at ${provider}, to the smallest unit`, async () => {
    const { transactionId } = await createPaid({}, mode);
    await assertRefusal({ transaction_id: transactionId, refund_amount: 118.01 }, amount('118.00'));
    await assertRefusal({ transaction_id: transactionId, refund_amount: 1e6 }, amount('118.00'));

    const part = await refund({ transaction_id: transactionId, refund_amount: 117.99 });
    assert.equal(part.status, 200);
    await simulator.settled();
    await assertRefusal({ transaction_id: transactionId, refund_amount: 0.02 }, amount('0.01'));
    assert.equal((await refund({ transaction_id: transactionId })).status, 200);
    await simulator.settled();
    await assertRefusal({ transaction_id: transactionId }, amount('0.00'));
    await assertRefusal({ transaction_id: transactionId, refund_amount: 0.01 }, amount('0.00'));
  });
}

test('a pending refund reduces the available amount like a completed one', async () => {
  const { orderId, transactionId } = await createPaid();
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  assert.equal((await refund({ transaction_id: transactionId, refund_amount: 100 })).status, 200);
  await assertRefusal({ transaction_id: transactionId, refund_amount: 18.01 }, amount('18.00'));
});

const limits = [
  ['JPY', 500, 501, '500'],
  ['KWD', 1.25, '1.251', '1.250'],
] as const;
for (const [currency, total_amount, refund_amount, available] of limits) {
  test(`the message states the available amount with the decimals of ${currency}`, async () => {
    const amounts = { currency, amount_before_tax: undefined, tax: 0, total_amount };
    const { transactionId } = await createPaid(amounts);
    const words = `refund_amount may be at most ${available} ${currency}: `;
    await assertRefusal({ transaction_id: transactionId, refund_amount }, [
      'INVALID_REFUND_AMOUNT',
      words,
    ]);
  });
}

for (const currency of ['XYZ', 'ANG']) {
  test(`a payment that was reported in ${currency} cannot be refunded here`, async () => {
    const orderId = await createOrder();
    const payment = partnerPayment({ notes: { svc_order_id: orderId }, currency });
    const reply = await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));
    assert.equal(reply.body.status, 'needs_review');
    const { transaction } = (await enquire({ order_id: orderId })).body;
    const words = `The payment is in ${currency}, which is not in the list of ISO 4217`;
    const { svc_transaction_id } = transaction[0];
    await assertRefusal({ transaction_id: svc_transaction_id }, ['REFUND_NOT_ALLOWED', words]);
  });
}

test('a refund cannot be refunded', async () => {
  const { transactionId } = await createPaid();
  const { body } = await refund({ transaction_id: transactionId, refund_amount: 1 });
  await simulator.settled();
  const words = 'transaction_id names a refund';
  await assertRefusal({ transaction_id: body.transaction_id }, ['REFUND_NOT_ALLOWED', words]);
});

test('only a payment that succeeded can be refunded', async () => {
  for (const mode of Object.values(modeOf)) {
    const orderId = await createOrder({ invoice_id: `unpaid-${mode}` });
    const failed = await pay(orderId, mode, 'decline');
    await simulator.settled();
    const pending = (await initiate(orderId, mode)).body.transaction_id;
    const none = 'No payment of this order has succeeded';
    await assertRefusal({ transaction_id: failed }, ['REFUND_NOT_ALLOWED', 'payment is failed']);
    await assertRefusal({ transaction_id: pending }, ['REFUND_NOT_ALLOWED', 'payment is pending']);
    await assertRefusal({ invoice_id: `unpaid-${mode}` }, ['REFUND_NOT_ALLOWED', none]);

    // The failed payment still cannot be refunded once another one is paid.
    await pay(orderId, mode);
    await simulator.settled();
    await assertRefusal({ transaction_id: failed }, ['REFUND_NOT_ALLOWED', 'payment is failed']);
  }
});

test('an order without any payment has nothing to refund', async () => {
  await createOrder({ invoice_id: 'untouched' });
  await assertRefusal({ invoice_id: 'untouched' }, ['REFUND_NOT_ALLOWED', 'No payment']);
});

test("a payment cannot be refunded without the account's settings for its provider", async () => {
  const account = await service.createAccount();
  const { token } = account;
  const create = async () =>
    (await service.call('/api/v3/create-order', { token, body: orderBody() })).body;
  const [byPartner, byGateway] = [await create(), await create()];
  const payment = partnerPayment({ notes: { svc_order_id: byPartner.order_id } });
  await sendPartner(service, account, partnerEvent('payment.captured', { payment }));
  await sendGateway(service, account, gatewayBody({ order: { id: byGateway.order_id } }));

  const cases = [
    [byPartner, 'Razorpay'],
    [byGateway, 'Mastercard Gateway'],
  ] as const;
  for (const [{ order_id, invoice_id }, name] of cases) {
    const seen = await service.call('/api/v3/transaction-enquiry', { token, body: { order_id } });
    assert.equal(seen.body.order.status, 'completed', JSON.stringify(seen.body));
    const before = await dumpTables(service.database);
    const reply = await service.call('/api/v3/refund', { token, body: { invoice_id } });
    assertRefused(reply, 'REFUND_NOT_ALLOWED', `no API settings for ${name}`);
    assert.deepEqual(await dumpTables(service.database), before);
  }
});

test('the invariants hold after all of this', assertSound);

function amount(available: string) {
  const words = `refund_amount may be at most ${available} INR: `;
  return ['INVALID_REFUND_AMOUNT', words] as const;
}

/** Asserts a refusal with this message; nothing changes here or at the provider. */
async function assertRefusal(
  body: object,
  [code, words]: readonly ['INVALID_REFUND_AMOUNT' | 'REFUND_NOT_ALLOWED', string],
): Promise<void> {
  const before = [await dumpTables(service.database), simulator.ledger()];
  assertRefused(await refund(body), code, words);
  assert.deepEqual([await dumpTables(service.database), simulator.ledger()], before);
}
