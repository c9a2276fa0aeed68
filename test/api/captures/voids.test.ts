/** Voids, captures in parts, and what is refused. Contract 16.3, 16.5, 16.7. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '../../support/test-service.ts';
import { assertInvariants } from '../webhooks/shop.ts';
import { openHeldShop } from './held-shop.ts';

const shop = await openHeldShop();

const codeOf = ({ status, body }: Reply) => [status, body.error?.svc_error_code];
const typesOf = async (orderId: string) =>
  (await shop.listEvents(orderId)).map(({ event_type }) => event_type);

test('a void at the gateway releases the hold, and the order lapses at its own time', async () => {
  const { orderId, transactionId } = await shop.hold('gateway');
  const reply = await shop.void(transactionId);
  assert.equal(reply.status, 200);
  const { transaction_id, message, ...others } = reply.body;
  assert.match(transaction_id, /-v$/);
  assert.match(message, /released/);
  assert.deepEqual(others, {
    original_payment_transaction_id: transactionId,
    order_id: orderId,
    void_status: 'succeeded',
    transaction_type: 'void',
  });
  const { payment, order } = await shop.show(orderId);
  assert.equal(payment.payment_status, 'reversed');
  assert.equal(payment.authorization_details.voided_amount, 118);
  assert.equal(payment.authorization_details.available_authorized_amount, 0);
  assert.equal(order.status, 'pending');
  const events = await shop.listEvents(orderId);
  // The shop asked for it, so nobody has to look at it.
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['payment_authorized', 'payment_reversed', 'void_success'],
  );
  assert.deepEqual(events.at(-1)?.void, { transaction_id, amount: 118, status: 'succeeded' });
  assert.deepEqual(codeOf(await shop.void(transactionId)), [422, 'VOID_NOT_ALLOWED']);
  assert.deepEqual(codeOf(await shop.capture(transactionId)), [422, 'CAPTURE_NOT_ALLOWED']);
  await assertInvariants(shop);
  await shop.poll(25 * 3600);
  assert.equal((await shop.show(orderId)).order.status, 'lapsed');
  await assertInvariants(shop);
});

test('the partner has no void: it is pending until the hold ends, and nothing is captured', async () => {
  const { orderId, transactionId, pspId } = await shop.hold('partner');
  const before = shop.calls.length;
  const reply = await shop.void(transactionId);
  assert.equal(reply.body.void_status, 'pending');
  assert.equal(shop.calls.length, before);
  assert.deepEqual(codeOf(await shop.capture(transactionId)), [422, 'CAPTURE_NOT_ALLOWED']);
  assert.deepEqual(codeOf(await shop.void(transactionId)), [422, 'VOID_NOT_ALLOWED']);
  const { payment } = await shop.show(orderId);
  assert.equal(payment.payment_status, 'authorized');
  assert.equal(payment.authorization_details.available_authorized_amount, 0);
  await shop.report(pspId, 'payment.captured', {
    status: 'refunded',
    refund_status: 'full',
    amount_refunded: 11800,
  });
  const events = await shop.listEvents(orderId);
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['payment_authorized', 'void_pending', 'payment_reversed', 'void_success'],
  );
  assert.equal(events.at(-1)?.message, 'void_released');
  assert.equal(events.at(-1)?.void.transaction_id, reply.body.transaction_id);
  await assertInvariants(shop);
});

test('a payment that is captured although it was voided counts, and is flagged', async () => {
  const { orderId, transactionId, pspId } = await shop.hold('partner');
  await shop.void(transactionId);
  await shop.report(pspId, 'payment.captured', { status: 'captured', captured: true });
  const { payment, order } = await shop.show(orderId);
  assert.equal(payment.payment_status, 'succeeded');
  assert.equal(order.status, 'completed');
  const events = await shop.listEvents(orderId);
  assert.ok(events.some(({ message }) => message === 'captured_after_void'));
  const failed = events.find(({ event_type }) => event_type === 'void_failed');
  assert.equal(failed?.void.status, 'failed');
  await assertInvariants(shop);
});

test('a hold that expires is announced as a void that nobody requested', async () => {
  const { orderId, pspId } = await shop.hold('partner');
  await shop.report(pspId, 'payment.captured', {
    status: 'refunded',
    refund_status: 'full',
    amount_refunded: 11800,
  });
  const events = await shop.listEvents(orderId);
  const expired = events.find(({ event_type }) => event_type === 'void_success');
  assert.equal(expired?.message, 'authorization_expired');
  assert.deepEqual(expired?.void, { transaction_id: null, amount: 118, status: 'succeeded' });
  await assertInvariants(shop);
});

test('several captures at the gateway add up, and what is left can be voided', async () => {
  const { orderId, transactionId } = await shop.hold('gateway');
  const first = await shop.capture(transactionId, { capture_amount: '40.00' });
  assert.equal(first.body.capture_status, 'succeeded');
  const detailsOf = async () => (await shop.show(orderId)).payment.authorization_details;
  assert.equal((await detailsOf()).captured_amount, 40);
  assert.equal((await detailsOf()).available_authorized_amount, 78);
  assert.equal((await shop.show(orderId)).payment.payment_status, 'authorized');
  const tooMuch = await shop.capture(transactionId, { capture_amount: 78.01 });
  assert.deepEqual(codeOf(tooMuch), [422, 'INVALID_CAPTURE_AMOUNT']);
  assert.match(tooMuch.body.error.message, /at most 78\.00 INR/);
  await shop.capture(transactionId, { capture_amount: 50 });
  assert.equal((await detailsOf()).captured_amount, 90);
  assert.equal((await shop.void(transactionId)).body.void_status, 'succeeded');
  const details = await detailsOf();
  assert.equal(details.voided_amount, 28);
  assert.equal(details.available_authorized_amount, 0);
  const { payment, order } = await shop.show(orderId);
  assert.equal(payment.payment_status, 'succeeded');
  assert.equal(payment.transaction_amount, 90);
  assert.equal(order.refund_details.available_refundable_amount, 90);
  await assertInvariants(shop);
});

test('one amount in two spellings is one content for a key', async () => {
  const { transactionId } = await shop.hold('gateway');
  const before = shop.made.length;
  const first = await shop.capture(transactionId, { capture_amount: 40 }, 'spelling');
  const again = await shop.capture(transactionId, { capture_amount: '40.00' }, 'spelling');
  assert.deepEqual([again.status, again.body], [200, first.body]);
  assert.equal(shop.made.length, before + 1);
});

test('all captures together complete the order', async () => {
  const { orderId, transactionId } = await shop.hold('gateway');
  await shop.capture(transactionId, { capture_amount: 100 });
  assert.equal((await shop.show(orderId)).order.status, 'pending');
  await shop.capture(transactionId);
  const { payment, order } = await shop.show(orderId);
  assert.equal(order.status, 'completed');
  assert.equal(payment.transaction_amount, 118);
  assert.deepEqual(
    (await typesOf(orderId)).filter((type) => type.startsWith('capture')),
    ['capture_success', 'capture_success'],
  );
  await assertInvariants(shop);
});

test('a capture that is pending blocks another one and a void until its result is known', async () => {
  const { orderId, transactionId, pspId } = await shop.hold('gateway');
  shop.script(() => 'pending');
  const reply = await shop.capture(transactionId, { capture_amount: 40 });
  shop.script(() => 'made');
  assert.equal(reply.body.capture_status, 'pending');
  assert.deepEqual(codeOf(await shop.capture(transactionId)), [409, 'CAPTURE_IN_PROGRESS']);
  assert.deepEqual(codeOf(await shop.void(transactionId)), [409, 'CAPTURE_IN_PROGRESS']);
  const { payment } = await shop.show(orderId);
  assert.equal(payment.authorization_details.available_authorized_amount, 78);
  await shop.notify(pspId, reply.body.transaction_id, 'CAPTURE', 40, '1', 'FAILURE');
  assert.ok((await typesOf(orderId)).includes('capture_failed'));
  assert.equal((await shop.capture(transactionId)).body.capture_status, 'succeeded');
  await assertInvariants(shop);
});

test('a void that the gateway refuses leaves the hold as it was', async () => {
  const { orderId, transactionId } = await shop.hold('gateway');
  shop.script(() => 'refused');
  const reply = await shop.void(transactionId);
  shop.script(() => 'made');
  assert.equal(reply.body.void_status, 'failed');
  assert.equal((await typesOf(orderId)).at(-1), 'void_failed');
  assert.equal((await shop.capture(transactionId)).body.capture_status, 'succeeded');
  await assertInvariants(shop);
});

test('the partner captures only the whole amount', async () => {
  const { transactionId } = await shop.hold('partner');
  const before = shop.calls.length;
  const part = await shop.capture(transactionId, { capture_amount: 100 });
  assert.deepEqual(codeOf(part), [422, 'CAPTURE_AMOUNT_NOT_SUPPORTED']);
  const more = await shop.capture(transactionId, { capture_amount: 118.01 });
  assert.deepEqual(codeOf(more), [422, 'INVALID_CAPTURE_AMOUNT']);
  assert.equal(shop.calls.length, before);
  const whole = await shop.capture(transactionId, { capture_amount: '118.00' });
  assert.equal(whole.body.capture_status, 'succeeded');
});

test('wrong input gets a clear error and changes nothing', async () => {
  const { orderId, transactionId, token } = {
    token: (await shop.createOrder()).token,
    ...(await shop.hold('gateway')),
  };
  const before = shop.calls.length;
  const refused: [Promise<Reply>, number, string][] = [
    [shop.capture(transactionId, { capture_amount: 0 }), 400, 'INVALID_REQUEST_PARAMETER'],
    [shop.capture(transactionId, { capture_amount: null }), 400, 'INVALID_REQUEST_PARAMETER'],
    [shop.capture(transactionId, { capture_amount: '' }), 400, 'INVALID_REQUEST_PARAMETER'],
    [shop.capture(transactionId, { capture_amount: -1 }), 400, 'INVALID_REQUEST_PARAMETER'],
    [shop.capture(transactionId, { capture_amount: '1.001' }), 400, 'INVALID_REQUEST_PARAMETER'],
    [shop.capture(transactionId, { capture_amount: 'all' }), 400, 'INVALID_REQUEST_PARAMETER'],
    [shop.call('capture', {}), 400, 'INVALID_REQUEST_PARAMETER'],
    [shop.call('void', { transaction_id: null }), 400, 'INVALID_REQUEST_PARAMETER'],
    [shop.capture(`${orderId}-260101000000`), 404, 'TRANSACTION_NOT_FOUND'],
    [shop.void('o_0000000000000000-260101000000'), 404, 'TRANSACTION_NOT_FOUND'],
  ];
  for (const [call, status, code] of refused) assert.deepEqual(codeOf(await call), [status, code]);
  for (const path of ['capture', 'void']) {
    const body = { transaction_id: transactionId };
    const reply = await shop.service.call(`/api/v3/${path}`, { token, body });
    assert.deepEqual(codeOf(reply), [403, 'PERMISSION_DENIED']);
  }
  const stranger = await shop.service.createAccount({});
  const foreign = await shop.service.call('/api/v3/capture', {
    token: stranger.token,
    body: { transaction_id: transactionId },
  });
  assert.deepEqual(codeOf(foreign), [404, 'TRANSACTION_NOT_FOUND']);
  assert.equal(shop.calls.length, before);
  const { payment } = await shop.show(orderId);
  assert.equal(payment.authorization_details.available_authorized_amount, 118);
});

test('a payment that is not authorised can neither be captured nor voided', async () => {
  const { transactionId } = await shop.start('credit_card');
  const capture = await shop.capture(transactionId);
  assert.deepEqual(codeOf(capture), [422, 'CAPTURE_NOT_ALLOWED']);
  assert.match(capture.body.error.message, /only one that is authorized can be captured/);
  assert.deepEqual(codeOf(await shop.void(transactionId)), [422, 'VOID_NOT_ALLOWED']);
  const paid = await shop.hold('partner');
  await shop.capture(paid.transactionId);
  assert.deepEqual(codeOf(await shop.capture(paid.transactionId)), [422, 'CAPTURE_NOT_ALLOWED']);
  assert.deepEqual(codeOf(await shop.void(paid.transactionId)), [422, 'VOID_NOT_ALLOWED']);
});

test('after 15 failures an order with a hold does not lapse; when the hold ends, it does', async () => {
  const { orderId, transactionId, pspId } = await shop.hold('gateway');
  for (let nth = 2; nth < 17; nth += 1) {
    await shop.notify(pspId, String(nth), 'PAYMENT', 118, undefined, 'FAILURE');
  }
  assert.equal((await shop.show(orderId)).order.status, 'pending');
  await shop.void(transactionId);
  const { order } = await shop.show(orderId);
  assert.equal(order.status, 'lapsed');
  await assertInvariants(shop);
});

test('the mode at the start holds for the payment, and that of the account for the next one', async () => {
  const other = await openHeldShop({ captureMode: 'automatic' });
  const { started } = await other.start('credit_card');
  assert.equal((started.interaction as Record<string, unknown>).operation, 'PURCHASE');
  const { orderId, transactionId } = await other.hold('gateway');
  const { payment } = await other.show(orderId);
  assert.equal(payment.payment_status, 'authorized');
  assert.equal(payment.authorization_details, null);
  const reply = await other.capture(transactionId);
  assert.equal(reply.body.capture_status, 'succeeded');
  assert.equal((await other.show(orderId)).payment.authorization_details, null);
});

test('the days of a hold at the gateway are a setting of the account', async () => {
  const other = await openHeldShop({ providerSettings: { 'bank-gateway': { 'hold-days': '3' } } });
  const { orderId } = await other.hold('gateway');
  const { authorized_time, expiry_time } = (await other.show(orderId)).payment
    .authorization_details;
  assert.equal(Date.parse(expiry_time) - Date.parse(authorized_time), 3 * 86_400_000);
});
