/** Captures and voids that the shop requests, with both providers. Contract 16.2 to 16.7. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertInvariants } from '../webhooks/shop.ts';
import { openHeldShop } from './held-shop.ts';

const shop = await openHeldShop();
const providers = ['partner', 'gateway'] as const;

test('an account that captures itself says so to each provider when a payment starts', async () => {
  const atPartner = await shop.start('upi');
  assert.deepEqual(atPartner.started.payment, {
    capture: 'manual',
    capture_options: { manual_expiry_period: 7200, refund_speed: 'normal' },
  });
  const atGateway = await shop.start('credit_card');
  const { operation } = atGateway.started.interaction as Record<string, unknown>;
  assert.equal(operation, 'AUTHORIZE');
});

for (const provider of providers) {
  test(`a held payment at the ${provider} is shown with what can be captured, until when`, async () => {
    const { orderId } = await shop.hold(provider);
    const { payment, order } = await shop.show(orderId);
    assert.equal(payment.payment_status, 'authorized');
    assert.equal(order.status, 'pending');
    const { authorized_time, expiry_time, ...amounts } = payment.authorization_details;
    assert.deepEqual(amounts, {
      capture_mode: 'manual',
      captured_amount: 0,
      voided_amount: 0,
      available_authorized_amount: 118,
    });
    const days = (Date.parse(expiry_time) - Date.parse(authorized_time)) / 86_400_000;
    assert.equal(days, provider === 'partner' ? 5 : 7);
  });

  test(`a capture at the ${provider} takes the whole amount once, and the order is paid`, async () => {
    const { orderId, transactionId } = await shop.hold(provider);
    const before = shop.made.length;
    const reply = await shop.capture(transactionId, { comment: 'shipped' });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const { transaction_id, message, ...others } = reply.body;
    assert.match(transaction_id, /^o_[0-9A-Za-z]{16}-\d{12}-c$/);
    assert.equal(typeof message, 'string');
    assert.deepEqual(others, {
      original_payment_transaction_id: transactionId,
      order_id: orderId,
      capture_status: 'succeeded',
      transaction_type: 'capture',
    });
    assert.equal(shop.made.length, before + 1);
    const { payment, order } = await shop.show(orderId);
    assert.equal(payment.payment_status, 'succeeded');
    assert.equal(order.status, 'completed');
    assert.equal(payment.authorization_details.captured_amount, 118);
    assert.equal(payment.authorization_details.available_authorized_amount, 0);
    const events = await shop.listEvents(orderId);
    assert.deepEqual(
      events.map(({ event_type }) => event_type),
      ['payment_authorized', 'payment_success', 'capture_success', 'order_completed'],
    );
    const captured = events.find(({ event_type }) => event_type === 'capture_success');
    assert.deepEqual(captured?.capture, { transaction_id, amount: 118, status: 'succeeded' });
    assert.equal(captured?.svc_transaction_id, transactionId);
    await assertInvariants(shop);
  });

  test(`after a lost answer of the ${provider} the capture is pending, and is not made twice`, async () => {
    const { orderId, transactionId } = await shop.hold(provider);
    const before = shop.made.length;
    shop.script(() => 'lost');
    const reply = await shop.capture(transactionId);
    shop.script(() => 'made');
    // The partner is read at once, because its refusals do not say what was captured before.
    const expected = provider === 'partner' ? 'succeeded' : 'pending';
    assert.equal(reply.body.capture_status, expected);
    const again = await shop.capture(transactionId);
    assert.equal(again.status, provider === 'partner' ? 422 : 409, JSON.stringify(again.body));
    await shop.poll();
    assert.equal(shop.made.length, before + 1);
    const { payment } = await shop.show(orderId);
    assert.equal(payment.payment_status, 'succeeded');
    await assertInvariants(shop);
  });

  test(`a capture that did not reach the ${provider} is sent again, once`, async () => {
    const { orderId, transactionId } = await shop.hold(provider);
    const before = shop.made.length;
    shop.script(() => 'limited');
    const reply = await shop.capture(transactionId);
    shop.script(() => 'made');
    assert.equal(reply.body.capture_status, 'pending', JSON.stringify(reply.body));
    assert.equal(shop.made.length, before);
    await shop.poll();
    assert.equal(shop.made.length, before + 1);
    const types = (await shop.listEvents(orderId)).map(({ event_type }) => event_type);
    assert.deepEqual(types.slice(1), [
      'capture_pending',
      'payment_success',
      'capture_success',
      'order_completed',
    ]);
    await assertInvariants(shop);
  });

  test(`a capture that the ${provider} refuses has failed, and may be requested again`, async () => {
    const { orderId, transactionId } = await shop.hold(provider);
    shop.script(() => 'refused');
    const reply = await shop.capture(transactionId);
    shop.script(() => 'made');
    assert.equal(reply.body.capture_status, 'failed');
    assert.match(reply.body.message, /It cannot be done/);
    assert.equal((await shop.show(orderId)).payment.payment_status, 'authorized');
    const events = await shop.listEvents(orderId);
    assert.equal(events.at(-1)?.event_type, 'capture_failed');
    assert.equal((await shop.capture(transactionId)).body.capture_status, 'succeeded');
    await assertInvariants(shop);
  });

  test(`captures at the ${provider} at one moment take the money once`, async () => {
    const { transactionId } = await shop.hold(provider);
    const before = shop.made.length;
    const replies = await Promise.all(Array.from({ length: 8 }, () => shop.capture(transactionId)));
    const statuses = replies.map(({ status }) => status).sort();
    assert.equal(statuses[0], 200);
    assert.ok(statuses.slice(1).every((status) => status === 409 || status === 422));
    assert.equal(shop.made.length, before + 1);
  });

  test(`with one key, captures at the ${provider} are one, and all have its answer`, async () => {
    const { transactionId } = await shop.hold(provider);
    const before = shop.made.length;
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => shop.capture(transactionId, {}, `key-${transactionId}`)),
    );
    for (const { status, body } of replies) {
      assert.equal(status, 200);
      assert.deepEqual(body, replies[0]?.body);
    }
    assert.equal(shop.made.length, before + 1);
    const other = await shop.capture(transactionId, { comment: 'x' }, `key-${transactionId}`);
    assert.equal(other.body.error.svc_error_code, 'IDEMPOTENCY_KEY_REUSED');
  });

  test(`a hold at the ${provider} keeps its order open, and is announced a day before its end`, async () => {
    const { orderId } = await shop.hold(provider);
    const days = provider === 'partner' ? 5 : 7;
    await shop.poll((days - 1) * 86_400 - 3_600);
    assert.equal((await shop.show(orderId)).order.status, 'pending');
    const quiet = await shop.listEvents(orderId);
    assert.ok(!quiet.some(({ message }) => message === 'not_captured'));
    await shop.poll(2 * 3_600);
    const warned = await shop.listEvents(orderId);
    assert.equal(warned.at(-1)?.message, 'not_captured');
    assert.equal((await shop.show(orderId)).order.status, 'pending');
    await assertInvariants(shop);
    await shop.poll(86_400);
    const { payment, order } = await shop.show(orderId);
    assert.equal(order.status, 'lapsed');
    assert.equal(payment.authorization_details.available_authorized_amount, 0);
    const late = await shop.capture(payment.svc_transaction_id);
    assert.equal(late.body.error.svc_error_code, 'CAPTURE_NOT_ALLOWED');
    await assertInvariants(shop);
  });
}
