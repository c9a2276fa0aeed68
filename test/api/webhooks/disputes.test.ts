/** Chargebacks and disputes need a review, are linked to their order and change no transaction. Contract 6.9. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { retryDelivery } from '../../../src/use-cases/inbox/retry-deliveries.ts';
import { gatewayBody, partnerEvent, partnerId, partnerPayment } from '../../support/deliveries.ts';
import type { Reply } from '../../support/test-service.ts';
import {
  assertInvariants,
  assertReceived,
  type CreatedOrder,
  captureOf,
  gatewayPaymentOf,
  openShop,
} from './shop.ts';

const shop = await openShop();
const { service } = shop;
type Fields = Record<string, unknown>;

const reviewed = ['created', 'action_required', 'lost'].map((name) => `payment.dispute.${name}`);
const ignored = ['won', 'closed', 'under_review', 'of_tomorrow'].map(
  (name) => `payment.dispute.${name}`,
);

for (const event of reviewed) {
  test(`${event} needs a review, names its order and changes no transaction`, async () => {
    const { order_id, payment } = await paidOrder();
    const before = (await shop.enquire({ order_id })).body;
    const history = await historyOf(order_id);
    const reply = await shop.sendPartner(disputeOf(event, payment));
    const message = `Razorpay reports a dispute: ${event}`;
    assertReceived(reply, { status: 'needs_review', order_id, message });
    const row = await shop.findDelivery(reply);
    assert.deepEqual(
      [row?.state, row?.flags, row?.order_id, row?.next_try_at],
      ['needs_review', ['dispute'], order_id, null],
    );
    assert.deepEqual((await shop.enquire({ order_id })).body, before);
    assert.deepEqual(await historyOf(order_id), history);
  });
}

for (const event of ignored) {
  test(`${event} is ignored and names its order`, async () => {
    const { order_id, payment } = await paidOrder();
    const reply = await shop.sendPartner(disputeOf(event, payment));
    const message = `the event ${event} is not acted on`;
    assertReceived(reply, { status: 'ignored', order_id, message });
    const row = await shop.findDelivery(reply);
    assert.deepEqual([row?.state, row?.flags, row?.order_id], ['ignored', [], order_id]);
  });
}

test('a chargeback needs a review, names its order and changes no transaction', async () => {
  for (const result of ['SUCCESS', 'PENDING', 'FAILURE']) {
    const order = await shop.createOrder();
    const { order_id } = order;
    await shop.sendGateway(gatewayPaymentOf(order));
    const before = (await shop.enquire({ order_id })).body;
    const transaction = { id: '9', type: 'CHARGEBACK', targetTransactionId: '1' };
    const reply = await shop.sendGateway(gatewayPaymentOf(order, { result, transaction }));
    const message = 'Mastercard Gateway reports a chargeback';
    assertReceived(reply, { status: 'needs_review', order_id, message });
    const row = await shop.findDelivery(reply);
    assert.deepEqual(
      [row?.state, row?.flags, row?.order_id],
      ['needs_review', ['chargeback'], order_id],
    );
    assert.deepEqual((await shop.enquire({ order_id })).body, before);
  }
});

describe('the order is found', () => {
  const find = async (name: string, make: (order: CreatedOrder) => Promise<Fields>) => {
    test(name, async () => {
      const order = await shop.createOrder();
      const body = await make(order);
      const reply = await shop.sendPartner(body);
      assert.deepEqual([reply.body.status, reply.body.order_id], ['needs_review', order.order_id]);
    });
  };
  const created = 'payment.dispute.created';
  find('by the payment id of the dispute alone', async (order) => {
    const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
    await shop.sendPartner(partnerEvent('payment.captured', { payment }));
    return partnerEvent(created, { dispute: { id: 'disp_1', payment_id: payment.id } });
  });
  find('by the partner order id', async (order) => {
    const providerOrder = { order_id: partnerId('order') };
    await shop.sendPartner(captureOf(order, providerOrder));
    return disputeOf(created, partnerPayment(providerOrder));
  });
  find('by the invoice in the notes', async ({ invoice_id }) =>
    disputeOf(created, partnerPayment({ notes: { invoice_id } })),
  );
  test('by the reference of the bank gateway order', async () => {
    const { order_id } = await shop.createOrder();
    const body = gatewayBody({
      order: { id: 'elsewhere-1', reference: order_id },
      transaction: { id: '9', type: 'CHARGEBACK' },
    });
    assert.equal((await shop.sendGateway(body)).body.order_id, order_id);
  });
});

test('references to two orders need a review, with both flags', async () => {
  const [one, two] = [await paidOrder(), await shop.createOrder()];
  const payment = { ...one.payment, notes: { svc_order_id: two.order_id } };
  const reply = await shop.sendPartner(disputeOf('payment.dispute.lost', payment));
  assert.equal(reply.body.status, 'needs_review');
  const row = await shop.findDelivery(reply);
  assert.deepEqual([row?.flags, row?.order_id], [['dispute', 'reference_conflict'], null]);
});

test('a dispute of an unknown order is parked, and gets its state when the order appears', async () => {
  const cases = [
    ['payment.dispute.created', 'needs_review'],
    ['payment.dispute.won', 'ignored'],
  ] as const;
  for (const [event, state] of cases) {
    const invoice_id = `LATER-${event}`;
    const body = disputeOf(event, partnerPayment({ notes: { invoice_id } }));
    const parked = await shop.sendPartner(body);
    assert.equal(parked.body.status, 'parked');
    const { order_id } = await shop.createOrder({ invoice_id });
    const row = await shop.findDelivery(parked);
    assert.deepEqual([row?.state, row?.order_id], [state, order_id]);
  }
  const chargeback = gatewayBody({
    order: { id: 'LATER-CHARGEBACK' },
    transaction: { type: 'CHARGEBACK' },
  });
  const parked = await shop.sendGateway(chargeback);
  assert.equal(parked.body.status, 'parked');
  await shop.createOrder({ invoice_id: 'LATER-CHARGEBACK' });
  assert.equal((await shop.findDelivery(parked))?.state, 'needs_review');
});

test('a dispute that waits for its payment is linked to the order when the payment arrives', async () => {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  const parked = await shop.sendPartner(
    disputeOf('payment.dispute.created', partnerPayment({ id: payment.id })),
  );
  assert.equal(parked.body.status, 'parked');
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const row = await shop.findDelivery(parked);
  assert.deepEqual([row?.state, row?.order_id], ['needs_review', order_id]);
});

test('a dispute does not tie its references to an order: they may be wrong', async () => {
  const { order_id } = await shop.createOrder();
  const providerOrderId = partnerId('order');
  const payment = partnerPayment({ notes: { svc_order_id: order_id }, order_id: providerOrderId });
  await shop.sendPartner(disputeOf('payment.dispute.created', payment));
  const { rows } = await service.database.query({
    text: 'select from provider_orders where provider_order_id = $1',
    values: [providerOrderId],
  });
  assert.equal(rows.length, 0);
});

test('a bearer caller is answered 200 for disputes to review, 404 for an unknown order, 400 for the rest', async () => {
  const { order_id, payment } = await paidOrder();
  const send = (event: string, of: Fields) => shop.sendAsBearer('partner', disputeOf(event, of));
  for (const event of reviewed) {
    const reply = await send(event, payment);
    assert.deepEqual([reply.status, reply.body.status], [200, 'needs_review'], event);
    assert.equal(reply.body.order_id, order_id);
    assert.equal((await send(event, partnerPayment())).status, 404, event);
  }
  for (const event of ignored) assert.equal((await send(event, payment)).status, 400, event);
  const chargeback = (id: string) =>
    shop.sendAsBearer(
      'bank-gateway',
      gatewayBody({ order: { id }, transaction: { id: '9', type: 'CHARGEBACK' } }),
    );
  assert.equal((await chargeback(order_id)).body.status, 'needs_review');
  assert.equal((await chargeback('o_0000000000000000')).status, 404);
});

test('a replay changes nothing', async () => {
  const { payment } = await paidOrder();
  const reply = await shop.sendPartner(disputeOf('payment.dispute.created', payment));
  const before = await stored(reply);
  service.advanceSeconds(60);
  const { accountId } = shop.account;
  await retryDelivery(service.services, accountId, reply.body.delivery_id, 'requested');
  assert.deepEqual(await stored(reply), before);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

async function paidOrder() {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  return { order_id, payment };
}

/** In the partner's format: the payment and the dispute side by side. */
function disputeOf(event: string, payment: Fields): Fields {
  const dispute = {
    id: `disp_${partnerId('pay').slice(4)}`,
    entity: 'dispute',
    payment_id: payment.id,
    amount: 11800,
    currency: 'INR',
    reason_code: 'goods_or_services_not_received_or_partially_received',
    phase: 'chargeback',
    status: 'open',
  };
  return partnerEvent(event, { payment, dispute });
}

async function historyOf(orderId: string): Promise<unknown> {
  const { rows } = await service.database.query({
    text: 'select * from history where order_id = $1 order by position',
    values: [orderId],
  });
  return rows;
}

async function stored({ body }: Reply): Promise<unknown> {
  const { rows } = await service.database.query({
    text: 'select * from deliveries where delivery_id = $1',
    values: [body.delivery_id],
  });
  return rows;
}
