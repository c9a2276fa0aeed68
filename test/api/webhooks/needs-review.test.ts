import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerId,
  partnerPayment,
  partnerRefund,
} from '../../support/deliveries.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import {
  assertInvariants,
  assertReceived,
  captureOf,
  gatewayPaymentOf,
  openShop,
  shopOf,
} from './shop.ts';

const shop = await openShop();
const { service } = shop;

type Fields = Record<string, unknown>;

const mismatches: [
  name: string,
  send: (order_id: string) => Promise<Reply>,
  flag: string,
  amount: number,
  currency: string,
][] = [
  ['a paisa less', partner({ amount: 11799 }), 'amount_mismatch', 117.99, 'INR'],
  ['a paisa more', partner({ amount: 11801 }), 'amount_mismatch', 118.01, 'INR'],
  ['a hundredth', partner({ amount: 118 }), 'amount_mismatch', 1.18, 'INR'],
  ['another currency', partner({ currency: 'USD' }), 'currency_mismatch', 118, 'USD'],
  [
    "a currency with another exponent, by the gateway's amount",
    gateway({ amount: 118, currency: 'JPY' }),
    'currency_mismatch',
    118,
    'JPY',
  ],
  ['a paisa less, gateway', gateway({ amount: 117.99 }), 'amount_mismatch', 117.99, 'INR'],
  [
    'a fee that does not explain the difference',
    partner({ amount: 12000, fee: 236, fee_bearer: 'customer' }),
    'amount_mismatch',
    120,
    'INR',
  ],
];
for (const [name, send, flag, amount, currency] of mismatches) {
  test(`${name} is recorded as reported, flagged, and does not complete the order`, async () => {
    const { order_id } = await shop.createOrder();
    const reply = await send(order_id);
    assertReceived(reply, { status: 'needs_review', order_id, message: `flagged ${flag}` });
    const kept = await shop.findDelivery(reply);
    assert.deepEqual([kept?.state, kept?.flags], ['needs_review', [flag]]);
    const { transaction, order } = (await shop.enquire({ order_id })).body;
    assert.deepEqual(
      transaction.map((entry: Reply['body']) => [
        entry.payment_status,
        entry.transaction_amount,
        entry.transaction_currency,
      ]),
      [['succeeded', amount, currency]],
    );
    assert.equal(order.status, 'pending');
    const [{ additional_charges: fee }] = transaction;
    const refundable = currency === 'INR' ? Math.round((amount - (fee ?? 0)) * 100) / 100 : 0;
    assert.equal(order.refund_details.total_refundable_amount, refundable);
  });
}

test('an order that received a wrong amount is completed by the right one', async () => {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf({ order_id }, { amount: 1 }));
  const reply = await shop.sendPartner(captureOf({ order_id }));
  assertReceived(reply, {
    status: 'needs_review',
    order_id,
    message: 'flagged duplicate_capture',
  });
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
});

test('a fee that the consumer bears is not a mismatch', async () => {
  const { order_id } = await shop.createOrder();
  const fee = { amount: 12036, fee: 236, fee_bearer: 'customer' };
  assertReceived(await shop.sendPartner(captureOf({ order_id }, fee)), {
    status: 'processed',
    order_id,
  });
  const { transaction, order } = (await shop.enquire({ order_id })).body;
  assert.equal(order.status, 'completed');
  assert.equal(transaction[0].transaction_amount, 120.36);
  assert.equal(transaction[0].additional_charges, 2.36);
});

test('a second success on one order is stored and flagged, and the order stays completed', async () => {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf({ order_id }));
  const second = await shop.sendGateway(gatewayPaymentOf({ order_id }));
  assertReceived(second, {
    status: 'needs_review',
    order_id,
    message: 'flagged duplicate_capture',
  });
  const { transaction, order } = (await shop.enquire({ order_id })).body;
  assert.deepEqual(
    transaction.map((entry: Reply['body']) => entry.payment_status),
    ['succeeded', 'succeeded'],
  );
  assert.equal(order.status, 'completed');
  assert.equal(order.refund_details.total_refundable_amount, 236);
});

test('notes that name two orders are flagged and nothing is applied', async () => {
  const [one, two] = [await shop.createOrder(), await shop.createOrder()];
  const body = captureOf(one, {
    order_id: partnerId('order'),
    notes: { svc_order_id: one.order_id, invoice_id: two.invoice_id },
  });
  await assertConflict(() => shop.sendPartner(body), one.order_id, two.order_id);
});

test('a payment of one order that later names another is flagged and nothing is applied', async () => {
  const [one, two] = [await shop.createOrder(), await shop.createOrder()];
  const payment = partnerPayment({ notes: { svc_order_id: one.order_id } });
  await shop.sendPartner(partnerEvent('payment.authorized', { payment }));
  const other = { ...payment, notes: { svc_order_id: two.order_id } };
  const body = partnerEvent('payment.captured', { payment: other });
  await assertConflict(() => shop.sendPartner(body), one.order_id, two.order_id);
});

test('a partner order that was tied to one order and comes with another is flagged and nothing is applied', async () => {
  const [one, two] = [await shop.createOrder(), await shop.createOrder()];
  const order_id = partnerId('order');
  await shop.sendPartner(captureOf(one, { order_id }));
  const body = captureOf(two, { order_id });
  await assertConflict(() => shop.sendPartner(body), one.order_id, two.order_id);
});

test('a refund of one order that names another is flagged and nothing is applied', async () => {
  const [one, two] = [await shop.createOrder(), await shop.createOrder()];
  const payment = partnerPayment({ notes: { svc_order_id: one.order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const refund = partnerRefund(payment, { notes: { svc_order_id: two.order_id } });
  const body = partnerEvent('refund.processed', { refund });
  await assertConflict(() => shop.sendPartner(body), one.order_id, two.order_id);
});

for (const [what, name] of [
  ['payment', 'id'],
  ['partner order', 'order_id'],
] as const) {
  test(`one ${what} reported concurrently for two orders is applied to one and flagged for the other`, async () => {
    for (let round = 0; round < 5; round += 1) {
      const orders = [await shop.createOrder(), await shop.createOrder()];
      const shared = { [name]: partnerId(name === 'id' ? 'pay' : 'order') };
      const replies = await Promise.all(
        orders.map((order) => shop.sendPartner(captureOf(order, shared))),
      );
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200],
      );
      service.advanceSeconds(2);
      await sweep(service.services);
      const kept = await Promise.all(replies.map(shop.findDelivery));
      assert.deepEqual(kept.map((delivery) => delivery?.state).sort(), [
        'needs_review',
        'processed',
      ]);
      const enquiries = await Promise.all(orders.map(({ order_id }) => shop.enquire({ order_id })));
      assert.deepEqual(enquiries.map(({ body }) => body.order.status).sort(), ['completed', 'new']);
    }
  });
}

test('a delivery of another merchant id is applied and flagged', async () => {
  const own = shopOf(service, await service.createAccount({ bankGatewayMerchant: 'SHOP01' }));
  const { order_id } = await own.createOrder();
  const reply = await own.sendGateway(gatewayPaymentOf({ order_id }));
  assertReceived(reply, {
    status: 'needs_review',
    order_id,
    message: 'flagged merchant_mismatch',
  });
  assert.deepEqual((await own.findDelivery(reply))?.flags, ['merchant_mismatch']);
  assert.equal((await own.enquire({ order_id })).body.order.status, 'completed');

  const right = await own.createOrder();
  const body = gatewayPaymentOf(right, { merchant: 'SHOP01' });
  assert.equal((await own.sendGateway(body)).body.status, 'processed');
});

test('a refund that failed and succeeded is flagged and counts as succeeded', async () => {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const refund = partnerRefund(payment);
  await shop.sendPartner(partnerEvent('refund.failed', { refund, payment }));
  assertReceived(await shop.sendPartner(partnerEvent('refund.processed', { refund, payment })), {
    status: 'needs_review',
    order_id,
    message: 'flagged refund_conflict',
  });
  const { order } = (await shop.enquire({ order_id })).body;
  assert.equal(order.refund_details.refunded_amount, 118);
});

test('refunds of more than was paid are stored and flagged', async () => {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const refundOf = (amount: number) =>
    partnerEvent('refund.processed', { refund: partnerRefund(payment, { amount }), payment });
  assertReceived(await shop.sendPartner(refundOf(10000)), { status: 'processed', order_id });
  assertReceived(await shop.sendPartner(refundOf(1801)), {
    status: 'needs_review',
    order_id,
    message: 'flagged over_refunded',
  });
  const { refund_details } = (await shop.enquire({ order_id })).body.order;
  assert.equal(refund_details.refunded_amount, 118.01);
  assert.equal(refund_details.available_refundable_amount, 0);
});

test('a payment that is reversed is flagged and no longer completes its order', async () => {
  const order = await shop.createOrder();
  const { order_id } = order;
  await shop.sendGateway(gatewayPaymentOf(order));
  const reversal = gatewayPaymentOf(order, {
    order: { status: 'CANCELLED' },
    transaction: { id: '2', type: 'VOID_PAYMENT', targetTransactionId: '1' },
  });
  assertReceived(await shop.sendGateway(reversal), {
    status: 'needs_review',
    order_id,
    message: 'flagged payment_reversed',
  });
  const { transaction, order: after } = (await shop.enquire({ order_id })).body;
  assert.deepEqual(
    transaction.map((entry: Reply['body']) => entry.payment_status),
    ['reversed'],
  );
  assert.equal(after.status, 'pending');
  assert.equal(after.refund_details, null);
});

test('a void that names no payment waits for one', async () => {
  const { order_id } = await shop.createOrder();
  const body = gatewayBody({
    order: { id: order_id },
    transaction: { id: '2', type: 'VOID_PAYMENT' },
  });
  const reply = await shop.sendGateway(body);
  assert.equal(reply.body.status, 'parked');
  await shop.sendGateway(gatewayPaymentOf({ order_id }));
  assert.equal((await shop.findDelivery(reply))?.state, 'needs_review');
  const { transaction } = (await shop.enquire({ order_id })).body;
  assert.deepEqual(
    transaction.map((entry: Reply['body']) => entry.payment_status),
    ['reversed'],
  );
});

test('the invariants hold after all of this', () => assertInvariants(shop));

function partner(changes: Fields) {
  return (order_id: string) => shop.sendPartner(captureOf({ order_id }, changes));
}

function gateway(transaction: Fields) {
  return (order_id: string) => shop.sendGateway(gatewayPaymentOf({ order_id }, { transaction }));
}

/** Nothing but the delivery itself is stored. */
async function assertConflict(
  send: () => Promise<Reply>,
  ...orderIds: readonly string[]
): Promise<void> {
  const { deliveries: _before, ...before } = await dumpTables(service.database);
  const reply = await send();
  assertReceived(reply, {
    status: 'needs_review',
    message: `its references name different orders: ${orderIds.toSorted().join(', ')}`,
  });
  const { deliveries: _after, ...after } = await dumpTables(service.database);
  assert.deepEqual(after, before);
  const kept = await shop.findDelivery(reply);
  assert.deepEqual([kept?.state, kept?.flags], ['needs_review', ['reference_conflict']]);
}
