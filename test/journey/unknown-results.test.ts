import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startScriptedGateway } from '../support/scripted-gateway.ts';

const gateway = await startScriptedGateway();
const { shop, notify, addRecord, script, refund, refundCalls, poll, sumsOf } = gateway;

beforeEach(() => {
  refundCalls.length = 0;
  script(() => 'SUCCESS');
  gateway.listRefunds(true);
  gateway.answerStarts(201);
});

test('a refund whose answer was lost stays pending while its repeat is refused and the list lags', async () => {
  const { orderId, transactionId } = await paid();
  script(() => 'lost');
  assert.equal((await refund(transactionId, 50)).body.refund_status, 'pending');
  script(() => 'refuse');
  gateway.listRefunds(false);
  for (let polls = 0; polls < 4; polls += 1) await poll(600);
  assert.deepEqual(await sumsOf(orderId), [118, 0, 68]);
  assert.equal((await refund(transactionId, 69)).status, 422, 'it is not available again');
  gateway.listRefunds(true);
  await poll(3_600);
  assert.deepEqual(await sumsOf(orderId), [118, 50, 68]);
});

test('a refund that was refused at its first call has failed', async () => {
  const { orderId, transactionId } = await paid();
  script(() => 'refuse');
  assert.equal((await refund(transactionId, 50)).body.refund_status, 'failed');
  assert.deepEqual(await sumsOf(orderId), [118, 0, 118]);
});

test('a rate limit is not a refusal: the refund is sent again, and made once', async () => {
  const { orderId, transactionId } = await paid();
  script(() => 'limit');
  assert.equal((await refund(transactionId, 50)).body.refund_status, 'pending');
  await poll(600);
  assert.deepEqual(await sumsOf(orderId), [118, 0, 68]);
  script(() => 'SUCCESS');
  await poll(600);
  assert.deepEqual(await sumsOf(orderId), [118, 50, 68]);
  assert.equal(refundCalls.filter(({ verdict }) => verdict === 'SUCCESS').length, 1);
});

test('a refund that never reached the provider has failed once it is refused', async () => {
  const { orderId, transactionId } = await paid();
  script(() => 'limit');
  await refund(transactionId, 50);
  script(() => 'refuse');
  await poll(600);
  assert.deepEqual(await sumsOf(orderId), [118, 0, 118]);
});

test('after a lost repeat of a refund that had not reached the provider, a refusal proves nothing', async () => {
  const { orderId, transactionId } = await paid();
  script(() => 'limit');
  await refund(transactionId, 50);
  gateway.listRefunds(false);
  script(() => 'lost');
  await poll(600);
  script(() => 'refuse');
  await poll(600);
  assert.deepEqual(await sumsOf(orderId), [118, 0, 68]);
});

test('a payment that stays rate-limited has failed at once, and nothing was charged', async () => {
  const { order_id } = await shop.createOrder();
  gateway.answerStarts(429);
  const { body } = await gateway.initiate(order_id);
  assert.deepEqual([body.payment_status, body.next], ['failed', []]);
  const { transaction } = (await shop.enquire({ order_id })).body;
  assert.equal(transaction[0].failure_reason.svc_error_code, 'PROVIDER_UNAVAILABLE');
});

test('an attempt that the provider reports proves that a start without an answer arrived', async () => {
  const { order_id } = await shop.createOrder();
  gateway.answerStarts(504);
  const { transaction_id: id } = (await gateway.initiate(order_id)).body;
  await notify(id, '1', 'PAYMENT', 118, { result: 'FAILURE' });
  addRecord(id, '2', 'PAYMENT', 118);
  await poll(600);
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
});

async function paid() {
  const { order_id: orderId } = await shop.createOrder();
  await notify(orderId, '1', 'PAYMENT', 118);
  const { transaction } = (await shop.enquire({ order_id: orderId })).body;
  return { orderId, transactionId: transaction[0].svc_transaction_id };
}
