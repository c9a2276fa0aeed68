import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { sweep } from '../../src/use-cases/upkeep/sweep.ts';
import { startScriptedGateway } from '../support/scripted-gateway.ts';

const gateway = await startScriptedGateway();
const { service, shop, notify, addRecord, script, refund, refundCalls, poll, sumsOf } = gateway;
const hour = 3_600;

beforeEach(() => {
  refundCalls.length = 0;
  script(() => 'SUCCESS');
});

test('a refused part stays refused however often the other part is polled', async () => {
  const { orderId, transactionId } = await gateway.payByTwoCaptures();
  script((target) => (target === '2' ? 'PENDING' : 'refuse'));
  assert.equal((await refund(transactionId, 118)).status, 200);
  assert.deepEqual(await sumsOf(orderId), [118, 0, 58]);
  await pollOften();
  assert.deepEqual(await sumsOf(orderId), [118, 0, 58]);
  assert.equal(refundCalls.length, 2, 'nothing was sent again');
});

test('the amount of a refused part can be refunded once, and never more than was captured', async () => {
  const { orderId, transactionId } = await gateway.payByTwoCaptures();
  script((target) => (target === '2' ? 'PENDING' : 'refuse'));
  await refund(transactionId, 118);
  script(() => 'SUCCESS');
  assert.equal((await refund(transactionId, 58)).status, 200);
  await pollOften();
  const taken = refundCalls.filter(({ verdict }) => verdict !== 'refuse');
  assert.equal(
    taken.reduce((sum, { amount }) => sum + amount, 0),
    118,
  );
  assert.equal((await sumsOf(orderId))[2], 0);
});

test('a lost part is sent again with the same id, and made once', async () => {
  const { orderId, transactionId } = await gateway.payByTwoCaptures();
  script((target) => (target === '2' ? 'SUCCESS' : 'unavailable'));
  await refund(transactionId, 118);
  assert.deepEqual(await sumsOf(orderId), [118, 60, 0]);
  const lost = refundCalls.at(-1)?.id;
  script(() => 'SUCCESS');
  await pollOften();
  assert.deepEqual(await sumsOf(orderId), [118, 118, 0]);
  const made = refundCalls.filter(({ verdict }) => verdict === 'SUCCESS');
  assert.deepEqual(
    made.map(({ id, amount }) => [id, amount]),
    [
      [lost?.replace(/-2$/, ''), 60],
      [lost, 58],
    ],
  );
});

test('a part that was lost and whose repeat is refused stays pending, because that proves nothing', async () => {
  const { orderId, transactionId } = await gateway.payByTwoCaptures();
  script((target) => (target === '2' ? 'SUCCESS' : 'unavailable'));
  await refund(transactionId, 118);
  script(() => 'refuse');
  await pollOften();
  assert.deepEqual(await sumsOf(orderId), [118, 60, 0]);
  const { transaction } = (await shop.enquire({ order_id: orderId })).body;
  assert.equal(transaction.at(-1).refund_status, 'pending');
});

test('a refund of which a part was refused has succeeded with the rest, and a repeat sends nothing', async () => {
  const { orderId, transactionId } = await gateway.payByTwoCaptures();
  script((target) => (target === '2' ? 'SUCCESS' : 'refuse'));
  const request = { transaction_id: transactionId, refund_amount: 100, refund_request_id: 'ONCE' };
  const first = await gateway.call('refund', request, 'key-1');
  assert.deepEqual([first.status, first.body.refund_status], [200, 'succeeded']);
  assert.deepEqual(await sumsOf(orderId), [118, 60, 58]);
  script(() => 'SUCCESS');
  for (const key of ['key-1', 'key-2', undefined]) {
    const repeat = await gateway.call('refund', request, key);
    assert.deepEqual([repeat.status, repeat.body], [200, first.body]);
    assert.equal(repeat.headers.get('idempotent-replayed'), 'true');
  }
  assert.equal(refundCalls.length, 2);
  const { transaction } = (await shop.enquire({ order_id: orderId })).body;
  assert.deepEqual(
    [transaction.at(-1).refund_status, transaction.at(-1).transaction_amount],
    ['succeeded', 60],
  );
  const rest = await gateway.call('refund', {
    ...request,
    refund_amount: 58,
    refund_request_id: 'REST',
  });
  assert.equal(rest.body.refund_status, 'succeeded');
  assert.deepEqual(await sumsOf(orderId), [118, 118, 0]);
});

test('a partial capture can be refunded from the moment the order lapses', async () => {
  const { order_id } = await shop.createOrder();
  await notify(order_id, '1', 'AUTHORIZATION', 118);
  await notify(order_id, '2', 'CAPTURE', 60, { target: '1' });
  service.advanceSeconds(24 * hour + 1);
  assert.deepEqual(await sumsOf(order_id), [60, 0, 60]);
  const { transaction } = (await shop.enquire({ order_id })).body;
  assert.equal((await refund(transaction[0].svc_transaction_id)).status, 200);
  assert.deepEqual(await sumsOf(order_id), [60, 60, 0]);
});

test('the sweep also settles a partial capture beside the payment that completed the order', async () => {
  const { order_id } = await shop.createOrder();
  await notify(order_id, '1', 'AUTHORIZATION', 118);
  await notify(order_id, '2', 'CAPTURE', 60, { target: '1' });
  await notify(order_id, '3', 'PAYMENT', 118);
  await passDays(2);
  const { rows } = await service.database.query<{ status: string; flags: string[] }>({
    text: `select status, flags from transactions where order_id = $1 and psp_transaction_id like '%|1'`,
    values: [order_id],
  });
  assert.deepEqual(rows, [
    { status: 'succeeded', flags: ['duplicate_capture', 'partially_captured'] },
  ]);
});

test('polling finds the rest of a payment that is captured after the order lapsed', async () => {
  const { order_id } = await shop.createOrder();
  const { transaction_id: id } = (await gateway.initiate(order_id)).body;
  await notify(id, '1', 'AUTHORIZATION', 118);
  await notify(id, '2', 'CAPTURE', 60, { target: '1' });
  await passDays(1.1);
  addRecord(id, '3', 'CAPTURE', 58, { target: '1' });
  for (let polls = 0; polls < 4; polls += 1) await poll(6 * hour);
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
});

test('a refund of a one-step payment does not target a capture beside it', async () => {
  const { order_id } = await shop.createOrder();
  await notify(order_id, '1', 'PAYMENT', 118);
  await notify(order_id, '3', 'CAPTURE', 60);
  assert.deepEqual(await sumsOf(order_id), [118, 0, 118]);
  const { transaction } = (await shop.enquire({ order_id })).body;
  await refund(transaction[0].svc_transaction_id);
  assert.deepEqual(
    refundCalls.map(({ target, amount }) => [target, amount]),
    [['1', 118]],
  );
});

test('the invariants hold after these tests, also between lapsing and the sweep', async () => {
  assert.deepEqual(await gateway.breaches(), []);
  const { order_id } = await shop.createOrder();
  const { transaction_id: id } = (await gateway.initiate(order_id)).body;
  await notify(id, '1', 'AUTHORIZATION', 118);
  await notify(id, '2', 'CAPTURE', 60, { target: '1' });
  for (let polls = 0; polls < 3; polls += 1) await poll(hour);
  service.advanceSeconds(21 * hour + 5);
  assert.deepEqual(await gateway.breaches(), []);
});

async function pollOften(): Promise<void> {
  for (const seconds of [61, 130, 400, 4_000, 4_000]) await poll(seconds);
}

/** One sweep covers a few hours of orders, so several are run. */
async function passDays(days: number): Promise<void> {
  service.advanceSeconds(days * 24 * hour);
  for (let sweeps = 0; sweeps < 4 * days + 2; sweeps += 1) await sweep(service.services);
}
