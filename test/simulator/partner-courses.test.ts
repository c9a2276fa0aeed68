import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, isSigned, type Json, onlyPayment, type Received, startShop } from './support.ts';

const paidEvents = ['payment.authorized', 'payment.captured', 'order.paid'];
const capture_options = {
  automatic_expiry_period: 12,
  manual_expiry_period: 7200,
  refund_speed: 'normal',
};

test('manual-capture: the payment is authorized first, although the order requests capture, and captured later', async (t) => {
  const { simulator, receiver, partner, openOrder } = await startShop(t, {
    scenario: { name: 'manual-capture', delayMs: 200 },
  });
  const orderId = await openOrder('o_1-260101000000', {
    payment: { capture: 'automatic', capture_options },
  });
  await simulator.pay(orderId);
  await receiver.until(1);
  assert.deepEqual(eventsOf(receiver.received), ['payment.authorized']);
  const { id } = onlyPayment(simulator);
  const held = (await partner('GET', `/v1/payments/${id}`)).body;
  assert.deepEqual([held.status, held.captured, held.fee], ['authorized', false, null]);
  const order = (await partner('GET', `/v1/orders/${orderId}`)).body;
  assert.deepEqual([order.status, order.amount_paid], ['attempted', 0]);
  // The consumer has paid: pressing the button again makes no second payment.
  await simulator.pay(orderId);
  assert.equal(onlyPayment(simulator).status, 'authorized');

  await simulator.settled();
  assert.deepEqual(eventsOf(receiver.received), paidEvents);
  const captured = (await partner('GET', `/v1/orders/${orderId}/payments`)).body;
  assert.deepEqual((captured.items as Json[])[0], entityOf(receiver.received.at(-1), 'payment'));
  assert.deepEqual(
    (captured.items as Json[]).map(({ status, captured }) => [status, captured]),
    [['captured', true]],
  );
  assert.equal(onlyPayment(simulator).status, 'captured');
});

test('release: an authorisation that is never captured is reported as a full refund', async (t) => {
  const { simulator, receiver, partner, openOrder, refundAtPartner } = await startShop(t, {
    scenario: { name: 'release' },
  });
  const orderId = await openOrder();
  await simulator.pay(orderId);
  await simulator.settled();

  assert.deepEqual(eventsOf(receiver.received), ['payment.authorized', 'refund.processed']);
  assert.ok(receiver.received.every((request) => isSigned(request)));
  const { id, status } = onlyPayment(simulator);
  assert.equal(status, 'reversed');
  const payment = (await partner('GET', `/v1/payments/${id}`)).body;
  const { amount_refunded, refund_status, captured, fee } = payment;
  assert.deepEqual(
    { status: payment.status, amount_refunded, refund_status, captured, fee },
    {
      status: 'refunded',
      amount_refunded: 1050,
      refund_status: 'full',
      captured: false,
      fee: null,
    },
  );
  assert.deepEqual(entityOf(receiver.received[1], 'payment'), payment);
  const tries = (await partner('GET', `/v1/orders/${orderId}/payments`)).body;
  assert.deepEqual(tries.items, [payment]);

  const refund = entityOf(receiver.received[1], 'refund');
  assert.match(`${refund.id}`, /^rfnd_[0-9A-Za-z]{14}$/);
  assert.deepEqual(
    [refund.payment_id, refund.amount, refund.status, refund.receipt, refund.notes],
    [id, 1050, 'processed', null, []],
  );
  const refunds = (await partner('GET', `/v1/payments/${id}/refunds`)).body;
  assert.deepEqual(refunds.items, [refund]);
  // The shop did not request it, so the ledger has no refund, and nothing can be refunded.
  assert.deepEqual(simulator.ledger().refunds, []);
  assert.equal((await refundAtPartner(id, {})).status, 400);
  const order = (await partner('GET', `/v1/orders/${orderId}`)).body;
  assert.deepEqual([order.status, order.amount_paid], ['attempted', 0]);
});

test('chargeback: a dispute is opened and lost, and the payment stays captured', async (t) => {
  const { simulator, receiver, partner, openOrder } = await startShop(t, {
    scenario: { name: 'chargeback' },
  });
  await simulator.pay(await openOrder());
  await simulator.settled();
  const { received } = receiver;
  const disputeEvents = ['payment.dispute.created', 'payment.dispute.lost'];
  assert.deepEqual(eventsOf(received), [...paidEvents, ...disputeEvents]);
  const { id } = onlyPayment(simulator);
  const payment = (await partner('GET', `/v1/payments/${id}`)).body;
  const [created, lost] = received.slice(3).map((request) => {
    assert.deepEqual(JSON.parse(request.body).contains, ['payment', 'dispute']);
    assert.deepEqual(entityOf(request, 'payment'), payment);
    return entityOf(request, 'dispute');
  });
  assert.match(`${created?.id}`, /^disp_[0-9A-Za-z]{14}$/);
  const { payment_id, amount, currency, phase, status, reason_code } = created ?? {};
  assert.deepEqual(
    { payment_id, amount, currency, phase, status },
    { payment_id: id, amount: 1050, currency: 'INR', phase: 'chargeback', status: 'open' },
  );
  assert.match(`${reason_code}`, /^[a-z_]+$/);
  assert.deepEqual(lost, { ...created, status: 'lost', amount_deducted: 1050 });
  assert.equal(payment.status, 'captured');
  const eventIds = received.map(({ headers }) => headers['x-razorpay-event-id']);
  assert.equal(new Set(eventIds).size, 5);
});

test('offer: the payment is 10 % below its order, and both have the offer id', async (t) => {
  const { simulator, receiver, partner, openOrder, refundAtPartner } = await startShop(t, {
    scenario: { name: 'offer' },
  });
  const orderId = await openOrder('o_1-260101000000', { amount: 1059 });
  await simulator.pay(orderId);
  await simulator.settled();
  assert.deepEqual(eventsOf(receiver.received), paidEvents);
  const payments = receiver.received.map((request) => entityOf(request, 'payment'));
  const offerId = `${payments[0]?.offer_id}`;
  assert.match(offerId, /^offer_[0-9A-Za-z]{14}$/);
  assert.deepEqual(
    payments.map(({ amount, offer_id }) => [amount, offer_id]),
    Array(3).fill([954, offerId]),
  );
  const order = entityOf(receiver.received[2], 'order');
  assert.deepEqual([order.amount, order.offers, order.status], [1059, [offerId], 'paid']);
  assert.deepEqual((await partner('GET', `/v1/orders/${orderId}`)).body, order);
  const { id, amount, discount, asked } = onlyPayment(simulator);
  assert.deepEqual({ amount, discount, asked }, { amount: 954, discount: 105, asked: 1059 });
  assert.equal((await refundAtPartner(id, { amount: 955 })).status, 400);
  assert.equal((await refundAtPartner(id, {})).body.amount, 954);
});

test('a payment without an offer has no offer_id, and its order no offers', async (t) => {
  const { simulator, receiver, openOrder } = await startShop(t);
  await simulator.pay(await openOrder());
  await simulator.settled();
  assert.equal(Object.hasOwn(entityOf(receiver.received[2], 'payment'), 'offer_id'), false);
  assert.equal(Object.hasOwn(entityOf(receiver.received[2], 'order'), 'offers'), false);
});

for (const name of [
  'partial-capture',
  'partial-capture-only',
  'void-and-capture-again',
  'void',
] as const) {
  test(`${name}: is a scenario of the gateway only; the partner captures as usual`, async (t) => {
    const { simulator, receiver, openOrder } = await startShop(t, { scenario: { name } });
    await simulator.pay(await openOrder());
    await simulator.settled();
    assert.deepEqual(eventsOf(receiver.received), paidEvents);
    const { status, amount, asked } = onlyPayment(simulator);
    assert.deepEqual([status, amount, asked], ['captured', 1050, 1050]);
  });
}

test('an order for manual capture leaves its payment authorized, one for automatic does not', async (t) => {
  const { simulator, receiver, openOrder } = await startShop(t);
  for (const capture of ['manual', 'automatic']) {
    const payment = { capture, capture_options };
    await simulator.pay(await openOrder(`o_${capture}-260101000000`, { payment }));
  }
  await simulator.settled();
  const statuses = simulator.ledger().payments.map(({ status }) => status);
  assert.deepEqual(statuses, ['authorized', 'captured']);
  assert.deepEqual(
    eventsOf(receiver.received).sort(),
    ['payment.authorized', ...paidEvents].sort(),
  );
});

test('unknown capture settings are refused, and the message names the field', async (t) => {
  const { partner } = await startShop(t);
  const open = (payment: unknown) =>
    partner('POST', '/v1/orders', { amount: 100, currency: 'INR', payment });
  const refused = await open({ capture: 'sometimes', capture_options });
  assert.deepEqual(refused, {
    status: 400,
    body: {
      error: {
        code: 'BAD_REQUEST_ERROR',
        description: 'The selected payment.capture is invalid.',
        source: 'business',
        step: 'payment_initiation',
        reason: 'input_validation_failed',
        metadata: {},
        field: 'payment.capture',
      },
    },
  });
  for (const [payment, field] of [
    [true, 'payment.capture'],
    [{}, 'payment.capture'],
    [{ capture: true }, 'payment.capture'],
    [options({ automatic_expiry_period: 11 }), 'payment.capture_options.automatic_expiry_period'],
    [options({ automatic_expiry_period: '12' }), 'payment.capture_options.automatic_expiry_period'],
    [options({ manual_expiry_period: 7201 }), 'payment.capture_options.manual_expiry_period'],
    [options({ manual_expiry_period: 11 }), 'payment.capture_options.manual_expiry_period'],
    [options({ refund_speed: 'instant' }), 'payment.capture_options.refund_speed'],
  ] as const) {
    const { status, body } = await open(payment);
    assert.deepEqual([status, (body.error as Json).field], [400, field]);
  }
  assert.equal((await partner('GET', '/v1/orders')).body.count, 0);
  assert.equal((await open({ capture: 'automatic' })).status, 200);
});

function options(wrong: Json) {
  return { capture: 'automatic', capture_options: { ...capture_options, ...wrong } };
}

function entityOf(request: Received | undefined, name: string): Json {
  return JSON.parse(request?.body ?? '').payload[name].entity;
}
