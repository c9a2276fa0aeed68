import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partnerEvent, partnerPayment, partnerRefund } from '../../support/deliveries.ts';
import { assertInvariants, assertReceived, captureOf, gatewayPaymentOf, openShop } from './shop.ts';

const shop = await openShop();
const { service, account } = shop;

for (const path of ['partner', `partner/${account.accountId}`]) {
  const name = path === 'partner' ? 'without' : 'with';
  const send = (body: Record<string, unknown>) =>
    service.call(`/api/v3/webhooks/${path}`, { token: account.token, body });

  test(`a bearer's delivery is applied, ${name} account id in the path`, async () => {
    const { order_id } = await shop.createOrder();
    const body = captureOf({ order_id });
    const reply = await send(body);
    assertReceived(reply, { status: 'processed', order_id });
    assert.equal((await shop.findDelivery(reply))?.state, 'processed');
    assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
    assertReceived(await send(body), { status: 'duplicate', order_id });
    const again = { ...body, created_at: 1794700043 };
    assertReceived(await send(again), { status: 'stale', order_id });
  });

  test(`a bearer's mismatch is flagged and answered 200, ${name} account id in the path`, async () => {
    const { order_id } = await shop.createOrder();
    assertReceived(await send(captureOf({ order_id }, { amount: 1 })), {
      status: 'needs_review',
      order_id,
      message: 'flagged amount_mismatch',
    });
  });

  test(`a bearer's refund is applied, ${name} account id in the path`, async () => {
    const { order_id } = await shop.createOrder();
    const payment = partnerPayment({ notes: { svc_order_id: order_id } });
    const refund = partnerRefund(payment);
    const reply = await send(partnerEvent('refund.processed', { refund, payment }));
    assertReceived(reply, { status: 'processed', order_id });
  });
}

test('a body is read as JSON whatever its type says', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
    const { order_id } = await shop.createOrder();
    const reply = await service.call('/api/v3/webhooks/partner', {
      token: account.token,
      body: captureOf({ order_id }),
      headers: { 'content-type': type },
    });
    assertReceived(reply, { status: 'processed', order_id });
  }
});

test('neither signature, secret nor token is stored with a delivery', async () => {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf({ order_id }));
  await shop.sendAsBearer('partner', captureOf({ order_id }));
  await shop.sendGateway(gatewayPaymentOf({ order_id }));
  const { rows } = await service.database.query<{ headers: Record<string, string> }>({
    text: 'select headers from deliveries',
  });
  const kept = new Set(rows.flatMap(({ headers }) => Object.keys(headers)));
  assert.ok(kept.has('x-razorpay-event-id'));
  for (const proof of ['authorization', 'x-razorpay-signature', 'x-notification-secret']) {
    assert.ok(!kept.has(proof), proof);
  }
});

test('the invariants hold after all of this', () => assertInvariants(shop));
