import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partnerEvent, partnerPayment, partnerRefund } from '../../support/deliveries.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertInvariants, captureOf, gatewayPaymentOf, openShop } from './shop.ts';

const shop = await openShop();

test('every change is a row of history that names the delivery that caused it', async () => {
  const order = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
  const refund = partnerRefund(payment);
  const events = [
    partnerEvent('payment.failed', { payment }),
    partnerEvent('payment.authorized', { payment }),
    partnerEvent('payment.captured', { payment }),
    partnerEvent('refund.created', { refund: { ...refund, status: 'pending' } }),
    partnerEvent('refund.processed', { refund }),
  ];
  const causes: string[] = [];
  for (const body of events) causes.push((await shop.sendPartner(body)).body.delivery_id);

  const [failed, authorized, captured, refundCreated, refunded] = causes;
  const { transaction } = (await shop.enquire({ order_id: order.order_id })).body;
  const [paymentId, refundId] = transaction.map((entry: Reply['body']) => entry.svc_transaction_id);
  const history = await shop.listHistory(order);
  const statusChanges = history.map(({ transactionId, cause, changes }) => {
    const change = changes.find(({ field }) => field === 'status');
    return [transactionId, cause, change?.from, change?.to];
  });
  assert.deepEqual(statusChanges, [
    [paymentId, failed, null, 'failed'],
    [null, failed, 'new', 'pending'],
    [paymentId, authorized, 'failed', 'authorized'],
    [paymentId, captured, 'authorized', 'succeeded'],
    [null, captured, 'pending', 'completed'],
    [refundId, refundCreated, null, 'pending'],
    [refundId, refunded, 'pending', 'succeeded'],
  ]);
});

test('a delivery that changes nothing leaves no row, and rows never change', async () => {
  const order = await shop.createOrder();
  const body = captureOf(order);
  await shop.sendPartner(body, { eventId: 'historyrepeat1' });
  const before = await shop.listHistory(order);
  await shop.sendPartner(body, { eventId: 'historyrepeat1' });
  await shop.sendPartner(body);
  assert.deepEqual(await shop.listHistory(order), before);

  await shop.sendGateway(gatewayPaymentOf(order));
  const after = await shop.listHistory(order);
  assert.deepEqual(after.slice(0, before.length), before);
  assert.ok(after.length > before.length);
});

test('a change by a parked delivery names that delivery as its cause', async () => {
  const invoice_id = 'HISTORY-LATE';
  const payment = partnerPayment({ notes: { invoice_id } });
  const parked = await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const order = await shop.createOrder({ invoice_id });
  const causes = (await shop.listHistory(order)).map(({ cause }) => cause);
  assert.deepEqual(causes, [parked.body.delivery_id, parked.body.delivery_id]);
});

test('flags are part of the history', async () => {
  const order = await shop.createOrder();
  const reply = await shop.sendPartner(captureOf(order, { amount: 1 }));
  const [row] = await shop.listHistory(order);
  assert.equal(row?.cause, reply.body.delivery_id);
  assert.deepEqual(
    row?.changes.find(({ field }) => field === 'flags'),
    { field: 'flags', from: null, to: ['amount_mismatch'] },
  );
});

test('the invariants hold after all of this', () => assertInvariants(shop));
