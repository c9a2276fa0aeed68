import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomBase62 } from '../../../src/domain/ids.ts';
import {
  partnerEvent,
  partnerId,
  partnerPayment,
  partnerRefund,
  sendPartner,
  signPartner,
} from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertInvariants, assertReceived, type CreatedOrder, openShop } from './shop.ts';

const shop = await openShop();
const { service, account } = shop;

test('a captured payment completes its order and shows in the enquiry', async () => {
  const { order_id, invoice_id } = await createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });

  const reply = await sendPartner(service, account, partnerEvent('payment.captured', { payment }));

  assert.equal(reply.status, 200);
  assert.equal(reply.body.status, 'processed');
  assert.equal(reply.body.order_id, order_id);
  const { body } = await enquire({ invoice_id });
  assert.equal(body.order.status, 'completed');
  assert.equal(body.transaction.length, 1);
  const [transaction] = body.transaction;
  assert.match(transaction.svc_signature, /^[0-9a-f]{64}$/);
  assert.deepEqual(
    { ...transaction, svc_signature: undefined },
    {
      transaction_type: 'payment',
      completion_time: 42,
      svc_transaction_id: `${order_id}-261114234640`,
      payment_status: 'succeeded',
      message: null,
      svc_signature: undefined,
      signature_version: 'v3',
      failure_reason: null,
      payment_partner: 'Razorpay',
      processing_payment_partner: 'Razorpay',
      psp_transaction_id: payment.id,
      transaction_amount: 118,
      transaction_currency: 'INR',
      additional_charges: null,
      offer_discount: null,
      offer_id: null,
      payment_acquirer: null,
      payment_mode: 'Credit Card',
      payment_arn: '828553',
      emi: null,
      sub_payment_mode: {
        scheme: 'Visa',
        card_type: 'credit',
        issuer: 'HDFC',
        masked_card: '******1111',
      },
      refund_status: null,
      refund_request_id: null,
      refund_arn: null,
      authorization_details: null,
      disputes: [],
    },
  );
  assert.deepEqual(body.order, {
    svc_order_id: order_id,
    invoice_id,
    status: 'completed',
    custom_attributes: [],
    currency_conversion: null,
    refund_details: {
      refundable_currency: 'INR',
      available_refundable_amount: 118,
      refunded_amount: 0,
      total_refundable_amount: 118,
    },
  });
});

test('deliveries that arrive before their order are parked and applied when it is created', async () => {
  const invoice_id = `LATE-${partnerId('order')}`;
  const payment = partnerPayment({ notes: { invoice_id }, order_id: partnerId('order') });
  const refund = partnerRefund(payment, { amount: 1800 });
  const nameless = partnerPayment({ order_id: payment.order_id, status: 'failed' });

  const replies = [
    await sendPartner(service, account, partnerEvent('refund.processed', { refund })),
    await sendPartner(service, account, partnerEvent('payment.failed', { payment: nameless })),
    await sendPartner(service, account, partnerEvent('payment.captured', { payment })),
  ];
  assert.deepEqual(
    replies.map(({ status, body }) => [status, body.status]),
    [
      [200, 'parked'],
      [200, 'parked'],
      [200, 'parked'],
    ],
  );

  await createOrder({ invoice_id });
  const { body } = await enquire({ invoice_id });
  assert.equal(body.order.status, 'completed');
  assert.equal(body.transaction.length, 3);
  assert.equal(body.order.refund_details.refunded_amount, 18);
});

const statuses: [event: string, order: string, payment: string][] = [
  ['payment.authorized', 'pending', 'authorized'],
  ['payment.captured', 'completed', 'succeeded'],
  ['order.paid', 'completed', 'succeeded'],
  ['payment.failed', 'pending', 'failed'],
];
for (const [event, orderStatus, paymentStatus] of statuses) {
  test(`${event} makes the payment ${paymentStatus} and the order ${orderStatus}, also from a flat body`, async () => {
    for (const isFlat of [false, true]) {
      const { order_id } = await createOrder();
      const payment = partnerPayment({ notes: { svc_order_id: order_id } });
      const nested = partnerEvent(event, { payment });
      const body = isFlat ? { ...nested, payload: { payment, refund: null } } : nested;

      const reply = await sendPartner(service, account, body);

      assertReceived(reply, { status: 'processed', order_id });
      const enquiry = await enquire({ order_id });
      assert.equal(enquiry.body.order.status, orderStatus);
      assert.equal(enquiry.body.transaction[0].payment_status, paymentStatus);
    }
  });
}

const refundStatuses: [event: string, status: string, refund: string][] = [
  ['refund.created', 'pending', 'pending'],
  ['refund.created', 'processed', 'succeeded'],
  ['refund.created', 'failed', 'failed'],
  ['refund.processed', 'processed', 'succeeded'],
  ['refund.failed', 'failed', 'failed'],
];
for (const [event, status, refundStatus] of refundStatuses) {
  test(`${event} with status ${status} makes the refund ${refundStatus}`, async () => {
    const { order_id } = await createOrder();
    const payment = partnerPayment({ notes: { svc_order_id: order_id } });
    await sendPartner(service, account, partnerEvent('payment.captured', { payment }));
    const refund = partnerRefund(payment, { status });

    const reply = await sendPartner(service, account, partnerEvent(event, { refund, payment }));

    assertReceived(reply, { status: 'processed', order_id });
    const { transaction } = (await enquire({ order_id })).body;
    assert.deepEqual(
      transaction.map((entry: Reply['body']) => entry.refund_status),
      [refundStatus, refundStatus],
    );
  });
}

const namings: [name: string, payment: (order: CreatedOrder) => Record<string, unknown>][] = [
  ['notes.svc_order_id', ({ order_id }) => ({ notes: { svc_order_id: order_id } })],
  ['notes.order_id', ({ order_id }) => ({ notes: { order_id } })],
  ['notes.invoice_id', ({ invoice_id }) => ({ notes: { invoice_id } })],
];
for (const [name, changes] of namings) {
  test(`a payment finds its order by ${name}`, async () => {
    const order = await createOrder();
    const body = partnerEvent('payment.captured', { payment: partnerPayment(changes(order)) });
    const reply = await sendPartner(service, account, body);
    assertReceived(reply, { status: 'processed', order_id: order.order_id });
  });
}

for (const receipt of ['order_id', 'invoice_id'] as const) {
  test(`a payment finds its order by a receipt that is our ${receipt}`, async () => {
    const order = await createOrder();
    const partnerOrder = { id: partnerId('order'), receipt: order[receipt] };
    const payment = partnerPayment({ order_id: partnerOrder.id });
    const body = partnerEvent('order.paid', { payment, order: partnerOrder });
    const reply = await sendPartner(service, account, body);
    assertReceived(reply, { status: 'processed', order_id: order.order_id });
  });
}

test('a payment finds the order of the transaction that its notes name', async () => {
  const { order_id } = await createOrder();
  const failed = partnerPayment({ notes: { svc_order_id: order_id } });
  await sendPartner(service, account, partnerEvent('payment.failed', { payment: failed }));
  const [{ svc_transaction_id }] = (await enquire({ order_id })).body.transaction;
  const body = partnerEvent('payment.captured', {
    payment: partnerPayment({ notes: { svc_transaction_id } }),
  });
  assertReceived(await sendPartner(service, account, body), { status: 'processed', order_id });
  assert.equal((await enquire({ order_id })).body.transaction.length, 2);
});

const ignored: [event: string, records: Record<string, Record<string, unknown>>][] = [
  ['payment.pending', { payment: partnerPayment() }],
  ['payment.downtime.started', { 'payment.downtime': { id: 'down_F1cxDoHWD4fkQt' } }],
  ['refund.speed_changed', { refund: partnerRefund(partnerPayment()) }],
  ['settlement.processed', { settlement: { id: 'setl_DGlQ1Rj8os78Ec' } }],
  ['subscription.charged', {}],
  ['something.new', {}],
];
for (const [event, records] of ignored) {
  test(`${event} is stored, answered 200 and ignored`, async () => {
    const body = partnerEvent(event, records);
    const reply = await sendPartner(service, account, body, { eventId: `ignored-${event}` });
    assertReceived(reply, { status: 'ignored', message: `the event ${event} is not acted on` });
    const kept = await shop.findDelivery(reply);
    assert.deepEqual([kept?.state, kept?.order_id, kept?.next_try_at], ['ignored', null, null]);
    const repeat = await sendPartner(service, account, body, { eventId: `ignored-${event}` });
    assert.equal(repeat.body.status, 'duplicate');
    assert.equal(repeat.body.delivery_id, reply.body.delivery_id);
  });
}

test('a delivery without an event id is recognised by its bytes', async () => {
  const { order_id } = await createOrder();
  const body = JSON.stringify(
    partnerEvent('payment.captured', {
      payment: partnerPayment({ notes: { svc_order_id: order_id } }),
    }),
  );
  const headers = { 'x-razorpay-signature': signPartner(body, account.partnerWebhookSecret) };
  const send = () =>
    service.call(`/api/v3/webhooks/partner/${account.accountId}`, { body, headers });
  assertReceived(await send(), { status: 'processed', order_id });
  assertReceived(await send(), { status: 'duplicate', order_id });
});

test('an event id of any length identifies repeats', async () => {
  const { order_id } = await createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  const body = partnerEvent('payment.captured', { payment });
  const eventId = randomBase62(8000);
  assertReceived(await sendPartner(service, account, body, { eventId }), {
    status: 'processed',
    order_id,
  });
  assertReceived(await sendPartner(service, account, body, { eventId }), {
    status: 'duplicate',
    order_id,
  });
});

test("a signed delivery with a bearer token counts as the provider's, with and without account id", async () => {
  for (const path of ['partner', `partner/${account.accountId}`]) {
    const body = JSON.stringify(partnerEvent('settlement.processed', {}, { created_at: path }));
    const reply = await service.call(`/api/v3/webhooks/${path}`, {
      token: account.token,
      body,
      headers: { 'x-razorpay-signature': signPartner(body, account.partnerWebhookSecret) },
    });
    assert.deepEqual([reply.status, reply.body.status], [200, 'ignored']);
  }
});

test('a time with a fraction of a millisecond gives equal history and state', async () => {
  const { order_id } = await createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  const body = partnerEvent('payment.captured', { payment }, { created_at: 1794700042.123456 });
  assertReceived(await sendPartner(service, account, body), { status: 'processed', order_id });
  assert.equal((await enquire({ order_id })).body.transaction[0].completion_time, 42);
  await assertInvariants(shop);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

async function createOrder(changes: Record<string, unknown> = {}) {
  const reply = await service.call('/api/v3/create-order', {
    token: account.token,
    body: orderBody(changes),
  });
  assert.equal(reply.status, 200);
  return reply.body as CreatedOrder;
}

function enquire(body: Record<string, string>) {
  return service.call('/api/v3/transaction-enquiry', { token: account.token, body });
}
