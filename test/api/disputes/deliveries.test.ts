/** How the order of a dispute is found, and who may report one. Contract 6.4, 6.10 and 17.2. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { disputeStatuses } from '../../../src/domain/disputes/dispute.ts';
import { retryDelivery } from '../../../src/use-cases/inbox/retry-deliveries.ts';
import { gatewayBody, partnerEvent, partnerId, partnerPayment } from '../../support/deliveries.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertInvariants, type CreatedOrder, captureOf, openShop } from '../webhooks/shop.ts';
import { disputeEvent, disputeRecord } from './dispute-shop.ts';

const shop = await openShop();
const { service } = shop;
type Fields = Record<string, unknown>;

describe('the order is found', () => {
  const find = (name: string, make: (order: CreatedOrder) => Promise<Fields>) => {
    test(name, async () => {
      const order = await shop.createOrder();
      const body = await make(order);
      const reply = await shop.sendPartner(body);
      assert.deepEqual([reply.body.status, reply.body.order_id], ['processed', order.order_id]);
    });
  };
  find('by the payment id of the dispute alone', async (order) => {
    const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
    await shop.sendPartner(partnerEvent('payment.captured', { payment }));
    return disputeEvent('created', disputeRecord(payment));
  });
  find('by the partner order id', async (order) => {
    const payment = partnerPayment({ order_id: partnerId('order') });
    const { id, order_id } = payment;
    await shop.sendPartner(captureOf(order, { id, order_id }));
    return disputeOf('created', payment);
  });
  find('by the reference of the bank gateway order', async ({ order_id }) => {
    const order = { id: `elsewhere-${order_id}`, reference: order_id };
    await shop.sendGateway(gatewayBody({ order }));
    const transaction = { id: '9', type: 'CHARGEBACK' };
    const reply = await shop.sendGateway(gatewayBody({ order, transaction }));
    assert.equal(reply.body.status, 'processed');
    const payment = partnerPayment({ notes: { svc_order_id: order_id } });
    await shop.sendPartner(partnerEvent('payment.captured', { payment }));
    return disputeOf('created', payment);
  });
});

test('references to two orders need a review', async () => {
  const [one, two] = [await paidOrder(), await shop.createOrder()];
  const payment = { ...one.payment, notes: { svc_order_id: two.order_id } };
  const reply = await shop.sendPartner(disputeOf('lost', payment));
  assert.equal(reply.body.status, 'needs_review');
  const row = await shop.findDelivery(reply);
  assert.deepEqual([row?.flags, row?.order_id], [['reference_conflict'], null]);
});

test('a dispute whose order appears is parked until its payment does', async () => {
  const payment = partnerPayment({ notes: { invoice_id: 'LATER' } });
  const parked = await shop.sendPartner(disputeOf('created', payment));
  assert.equal(parked.body.status, 'parked');
  const { order_id } = await shop.createOrder({ invoice_id: 'LATER' });
  assert.equal((await shop.findDelivery(parked))?.state, 'parked');
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const row = await shop.findDelivery(parked);
  assert.deepEqual([row?.state, row?.order_id], ['processed', order_id]);
});

test('a dispute does not tie its references to an order: they may be wrong', async () => {
  const { order_id } = await shop.createOrder();
  const providerOrderId = partnerId('order');
  const payment = partnerPayment({ notes: { svc_order_id: order_id }, order_id: providerOrderId });
  await shop.sendPartner(disputeOf('created', payment));
  const { rows } = await service.database.query({
    text: 'select from provider_orders where provider_order_id = $1',
    values: [providerOrderId],
  });
  assert.equal(rows.length, 0);
});

test('a bearer caller may report any status that is known, of an order that is', async () => {
  const { order_id, payment } = await paidOrder();
  const send = (event: string, of: Fields) => shop.sendAsBearer('partner', disputeOf(event, of));
  for (const status of disputeStatuses.toSorted()) {
    const reply = await send(status, payment);
    assert.deepEqual([reply.status, reply.body.status], [200, 'processed'], status);
    assert.equal(reply.body.order_id, order_id);
    assert.equal((await send(status, partnerPayment())).status, 404, status);
  }
  const unknown = await send('of_tomorrow', payment);
  assert.deepEqual([unknown.status, unknown.body.status], [200, 'needs_review']);
  const chargeback = (id: string) =>
    shop.sendAsBearer(
      'bank-gateway',
      gatewayBody({ order: { id }, transaction: { id: '9', type: 'CHARGEBACK' } }),
    );
  await shop.sendGateway(gatewayBody({ order: { id: order_id } }));
  assert.equal((await chargeback(order_id)).body.status, 'processed');
  assert.equal((await chargeback('o_0000000000000000')).status, 404);
});

test('a replay changes nothing', async () => {
  const { payment } = await paidOrder();
  const reply = await shop.sendPartner(disputeOf('created', payment));
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
  const status = event === 'created' ? 'open' : event;
  return disputeEvent(event, disputeRecord(payment, { status }), 0, { payment });
}

async function stored({ body }: Reply): Promise<unknown> {
  const { rows } = await service.database.query({
    text: 'select * from deliveries where delivery_id = $1',
    values: [body.delivery_id],
  });
  return rows;
}
