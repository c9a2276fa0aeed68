import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
} from '../../support/deliveries.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertInvariants, assertReceived, captureOf, openShop } from './shop.ts';

type Fields = Record<string, unknown>;

const shop = await openShop();
const { service } = shop;

test('a capture without a target belongs to the authorisation of its order, as one attempt', async () => {
  const { order_id } = await shop.createOrder();
  assertReceived(await tell(order_id, '1', 'AUTHORIZATION', 118), {
    status: 'processed',
    order_id,
  });
  assertReceived(await tell(order_id, '2', 'CAPTURE', 118), { status: 'processed', order_id });
  assert.deepEqual(await shownOf(order_id), ['completed', `${order_id}|1 succeeded 118`]);
});

test('partial captures and a status fetch show exactly what was captured', async () => {
  const { order_id } = await shop.createOrder();
  await tell(order_id, '1', 'AUTHORIZATION', 118);
  await tell(order_id, '2', 'CAPTURE', 70, { order: { totalCapturedAmount: 70 } });
  assert.deepEqual(await shownOf(order_id), ['pending', `${order_id}|1 authorized 118`]);
  await tell(order_id, '3', 'CAPTURE', 48, { order: { totalCapturedAmount: 118 } });
  const today = { order: { totalCapturedAmount: 118, lastUpdatedTime: '2026-11-14T11:00:00Z' } };
  await tell(order_id, '2', 'CAPTURE', 70, { ...today, target: '1' });
  await tell(order_id, '3', 'CAPTURE', 48, { ...today, target: '1' });
  assert.deepEqual(await shownOf(order_id), ['completed', `${order_id}|1 succeeded 118`]);
  assert.equal((await refundDetailsOf(order_id)).total_refundable_amount, 118);
});

test('a second authorisation makes the capture of the first one ambiguous, which needs a review', async () => {
  const { order_id } = await shop.createOrder();
  await tell(order_id, '1', 'AUTHORIZATION', 118);
  await tell(order_id, '3', 'CAPTURE', 118);
  assertReceived(await tell(order_id, '2', 'AUTHORIZATION', 118), {
    status: 'needs_review',
    order_id,
    message: 'flagged target_unknown',
  });
  const both = [`${order_id}|1 authorized 118`, `${order_id}|2 authorized 118`];
  assert.deepEqual(await shownOf(order_id), ['pending', ...both]);
  // With a target it counts for the named authorisation.
  await tell(order_id, '3', 'CAPTURE', 118, { target: '2' });
  assert.deepEqual(await shownOf(order_id), ['completed', both[0], `${order_id}|2 succeeded 118`]);
});

test('a capture that could belong to two payments is stored for review and changes nothing', async () => {
  const { order_id } = await shop.createOrder();
  await tell(order_id, '1', 'AUTHORIZATION', 118);
  await tell(order_id, '2', 'AUTHORIZATION', 118);
  const before = await shownOf(order_id);
  assertReceived(await tell(order_id, '3', 'CAPTURE', 118), {
    status: 'needs_review',
    order_id,
    message: 'flagged target_unknown',
  });
  assert.deepEqual(await shownOf(order_id), before);
  assertReceived(await tell(order_id, '4', 'VOID_CAPTURE', 118, { target: '3' }), {
    status: 'needs_review',
    order_id,
    message: 'flagged target_unknown',
  });
});

test('a partial capture counts as paid and refundable once the order lapses', async () => {
  const { order_id } = await shop.createOrder();
  await tell(order_id, '1', 'AUTHORIZATION', 118);
  await tell(order_id, '2', 'CAPTURE', 60);
  service.advanceSeconds(24 * 3_600 + 1);
  const settled = ['lapsed', `${order_id}|1 succeeded 60`];
  assert.deepEqual(await shownOf(order_id), settled, 'also before it is written down');
  await sweep(service.services);
  assert.deepEqual(await shownOf(order_id), settled);
  assert.deepEqual(await flagsOf(order_id), ['partially_captured']);
  assert.deepEqual(await refundDetailsOf(order_id), {
    refundable_currency: 'INR',
    available_refundable_amount: 60,
    refunded_amount: 0,
    total_refundable_amount: 60,
  });
  await tell(order_id, '3', 'CAPTURE', 58);
  assert.deepEqual(await shownOf(order_id), ['completed', `${order_id}|1 succeeded 118`]);
});

test('a void reverses its target or, without one, the payment of the order', async () => {
  const { order_id } = await shop.createOrder();
  await tell(order_id, '1', 'AUTHORIZATION', 118);
  await tell(order_id, '2', 'CAPTURE', 118);
  await tell(order_id, '3', 'VOID_CAPTURE', 118);
  assert.deepEqual(await shownOf(order_id), ['pending', `${order_id}|1 authorized 118`]);
  await tell(order_id, '4', 'CAPTURE', 118);
  assert.deepEqual(await shownOf(order_id), ['completed', `${order_id}|1 succeeded 118`]);
  await tell(order_id, '5', 'VOID_CAPTURE', 118, { target: '4' });
  await tell(order_id, '6', 'VOID_AUTHORIZATION', 118);
  assert.deepEqual(await shownOf(order_id), ['pending', `${order_id}|1 reversed 118`]);
});

test('a voided refund counts as failed, and its amount is available again', async () => {
  const { order_id } = await shop.createOrder();
  await tell(order_id, '1', 'PAYMENT', 118);
  await tell(order_id, '2', 'REFUND', 18, { target: '1' });
  const available = async () => (await refundDetailsOf(order_id)).available_refundable_amount;
  assert.equal(await available(), 100);
  const reply = await tell(order_id, '3', 'VOID_REFUND', 18, { target: '2' });
  assertReceived(reply, { status: 'needs_review', order_id, message: 'flagged refund_voided' });
  assert.equal(await available(), 118);
});

test('a void of an unknown refund waits for that refund', async () => {
  const { order_id } = await shop.createOrder();
  await tell(order_id, '1', 'PAYMENT', 118);
  const early = await tell(order_id, '3', 'VOID_REFUND', 18, { target: '2' });
  assert.equal(early.body.status, 'parked');
  await tell(order_id, '2', 'REFUND', 18, { target: '1' });
  assert.equal((await shop.findDelivery(early))?.state, 'needs_review');
  assert.equal((await refundDetailsOf(order_id)).available_refundable_amount, 118);
});

test('a void of a capture that names its authorisation waits for a capture that names none', async () => {
  const { order_id } = await shop.createOrder();
  await tell(order_id, '1', 'AUTHORIZATION', 118);
  const early = await tell(order_id, '3', 'VOID_CAPTURE', 118, { target: '1' });
  assert.equal(early.body.status, 'parked');
  await tell(order_id, '2', 'CAPTURE', 118);
  assert.notEqual((await shop.findDelivery(early))?.state, 'parked');
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'pending');
});

test('a void that loses its target to an earlier void stays stored with the order', async () => {
  const { order_id } = await shop.createOrder();
  await tell(order_id, '1', 'PAYMENT', 118);
  await tell(order_id, '2', 'REFUND', 18, { target: '1' });
  await tell(order_id, '4', 'VOID_REFUND', 18);
  // The same number of notices as before, and no field changes: only which of the two voids counts.
  await tell(order_id, '3', 'VOID_REFUND', 18);
  assert.deepEqual(await recordsOf(order_id), {
    placed: ['1', '2', '3'].map((id) => `${order_id}|${id}`),
    held: [`${order_id}|4`],
  });
  await assertInvariants(shop);
});

for (const [how, isTold] of [
  ['with its payment', true],
  ['without its payment, which is reported later', false],
] as const) {
  test(`a partner payment that was never captured is reversed by its release, ${how}`, async () => {
    const { order_id } = await shop.createOrder();
    const payment = partnerPayment({ notes: { svc_order_id: order_id }, captured: false });
    const authorized = { ...payment, status: 'authorized' };
    const released = { ...payment, status: 'refunded', refund_status: 'full' };
    const refund = partnerRefund(payment, { notes: { svc_order_id: order_id } });
    await shop.sendPartner(partnerEvent('payment.authorized', { payment: authorized }));
    const told: Record<string, Fields> = isTold ? { refund, payment: released } : { refund };
    await shop.sendPartner(partnerEvent('refund.processed', told));
    // As a status fetch reports it.
    await shop.sendPartner(partnerEvent('payment.captured', { payment: released }));
    assert.deepEqual(await shownOf(order_id), ['pending', `${payment.id} reversed 118`]);
    assert.equal((await refundDetailsOf(order_id)) as unknown, null);
  });
}

test('an offer on a payment of no known order of the partner does not explain a smaller amount', async () => {
  const { order_id } = await shop.createOrder();
  const offer = { amount: 100, offer_id: 'offer_JGQvQtvJmVDRIA', order_id: null };
  assertReceived(await shop.sendPartner(captureOf({ order_id }, offer)), {
    status: 'needs_review',
    order_id,
    message: 'flagged amount_mismatch',
  });
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'pending');
});

test('an offer lowers what the consumer pays, and the order is paid', async () => {
  const { order_id } = await shop.createOrder();
  const offer = { amount: 10_620, offer_id: 'offer_JGQvQtvJmVDRIA' };
  const payment = partnerPayment({ notes: { svc_order_id: order_id }, ...offer });
  const partnerOrder = { id: `order_${order_id}`, amount: 11_800 };
  assertReceived(
    await shop.sendPartner(partnerEvent('order.paid', { payment, order: partnerOrder })),
    { status: 'processed', order_id },
  );
  const { order, transaction } = (await shop.enquire({ order_id })).body;
  assert.equal(order.status, 'completed');
  const [{ transaction_amount, offer_discount, offer_id }] = transaction;
  assert.deepEqual([transaction_amount, offer_discount, offer_id], [106.2, 11.8, offer.offer_id]);
  assert.equal(order.refund_details.total_refundable_amount, 106.2);
});

test('an offer that the order lists accounts for exactly the missing amount', async () => {
  for (const [orderAmount, status] of [
    [11_800, 'completed'],
    [11_000, 'pending'],
  ] as const) {
    const { order_id, invoice_id } = await shop.createOrder();
    const payment = partnerPayment({ notes: { svc_order_id: order_id }, amount: 10_620 });
    const order = { id: `order_${order_id}`, amount: orderAmount, offers: ['offer_1'] };
    await shop.sendPartner(
      partnerEvent('order.paid', { payment, order: { ...order, receipt: invoice_id } }),
    );
    assert.equal((await shop.enquire({ order_id })).body.order.status, status);
  }
});

test('a fee that the consumer bears cannot be refunded', async () => {
  const { order_id } = await shop.createOrder();
  const fee = { amount: 12_036, fee: 236, fee_bearer: 'customer' };
  await shop.sendPartner(captureOf({ order_id }, fee));
  assert.deepEqual(await refundDetailsOf(order_id), {
    refundable_currency: 'INR',
    available_refundable_amount: 118,
    refunded_amount: 0,
    total_refundable_amount: 118,
  });
});

test('the invariants hold after all of this', () => assertInvariants(shop));

test('an order has 1,000 transactions at most; one more is stored for review and changes nothing', async () => {
  const full = await openShop();
  const { order_id } = await full.createOrder();
  await full.sendPartner(captureOf({ order_id }, { id: 'pay_0' }));
  await full.service.database.query({
    text: `insert into transactions
           select (jsonb_populate_record(t, jsonb_build_object('psp_transaction_id', 'pay_' || n,
                    'transaction_id', order_id || '-' || 200000000000 + n,
                    'notices', replace(notices::text, 'pay_0', 'pay_' || n)::jsonb))).*
             from transactions t, generate_series(1, 999) n where order_id = $1`,
    values: [order_id],
  });
  const before = await full.enquire({ order_id });
  assert.equal(before.body.transaction.length, 1_000);
  assertReceived(await full.sendPartner(captureOf({ order_id }, { id: 'pay_1000' })), {
    status: 'needs_review',
    order_id,
    message: 'its order has 1000 transactions, and no more are stored',
  });
  assert.deepEqual((await full.enquire({ order_id })).body, before.body);
  // Existing transactions can still change.
  const known = await full.sendPartner(captureOf({ order_id }, { id: 'pay_999', fee: 1 }));
  assertReceived(known, {
    status: 'needs_review',
    order_id,
    message: 'flagged duplicate_capture',
  });
  const started = await full.service.call('/api/v3/initiate-payment', {
    token: await full.freshToken(),
    body: { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' },
  });
  assert.ok([409, 422].includes(started.status), JSON.stringify(started.body));
});

/** A notification of the gateway about our order; each record has its own time. */
function tell(
  orderId: string,
  id: string,
  type: string,
  amount: number,
  { target, order }: { target?: string; order?: Fields } = {},
): Promise<Reply> {
  const at = `2026-11-14T10:0${id}:00.000Z`;
  return shop.sendGateway(
    gatewayBody({
      timeOfRecord: at,
      timeOfLastUpdate: at,
      order: { id: orderId, totalCapturedAmount: undefined, lastUpdatedTime: at, ...order },
      transaction: {
        id,
        type,
        amount,
        ...(target !== undefined && { targetTransactionId: target }),
      },
    }),
    { eventId: `${orderId}-${id}-${target ?? ''}-${order?.lastUpdatedTime ?? ''}` },
  );
}

/** The order's status, and its payments. */
async function shownOf(order_id: string): Promise<string[]> {
  const { order, transaction } = (await shop.enquire({ order_id })).body;
  const payments = transaction.map((entry: Reply['body']) =>
    [entry.psp_transaction_id, entry.payment_status, entry.transaction_amount].join(' '),
  );
  return [order.status, ...payments.sort()];
}

async function refundDetailsOf(order_id: string): Promise<Record<string, unknown>> {
  return (await shop.enquire({ order_id })).body.order.refund_details;
}

/** The provider's ids of the stored notices: those of transactions, and those that are held. */
async function recordsOf(order_id: string): Promise<{ placed: string[]; held: string[] }> {
  const { rows } = await service.database.query<{ kind: 'placed' | 'held'; id: string }>({
    text: `select 'placed' as kind, notice ->> 'pspTransactionId' as id
             from transactions, json_array_elements(notices) as notice where order_id = $1
           union all
           select 'held', held -> 'refund' ->> 'pspTransactionId'
             from orders, json_array_elements(held_notices) as held where order_id = $1
            order by id`,
    values: [order_id],
  });
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return { placed: of('placed'), held: of('held') };
}

async function flagsOf(order_id: string): Promise<string[]> {
  const { rows } = await service.database.query<{ flags: string[] }>({
    text: 'select flags from transactions where order_id = $1',
    values: [order_id],
  });
  return rows.flatMap(({ flags }) => flags);
}
