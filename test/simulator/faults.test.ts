import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../simulator/faults.ts';
import { type Json, onlyPayment, startShop } from './support.ts';

const orderId = 'o_1-260101000000';

/** Faults of the calls that start something, in their order. */
const inTurn = (faults: Fault[]) => ({
  faultOf: ({ operation }: { operation: string }) =>
    operation === 'fetch' ? undefined : faults.shift(),
});

test('a call whose answer is lost takes effect, by a broken connection or by a 504', async (t) => {
  const shop = await startShop(t, inTurn(['answer-lost', 'timed-out']));
  await assert.rejects(shop.openOrder());
  await assert.rejects(shop.openOrder(), /JSON/);
  const { body } = await shop.partner('GET', '/v1/orders?receipt=o_1');
  assert.equal(body.count, 2);
});

test('a call that is refused, limited or not answered takes no effect', async (t) => {
  const faults = [
    'broken',
    'unavailable',
    'rate-limited',
    'rate-limited-in-words',
    'rate-limited-by-code',
    'refused',
  ] as const;
  const shop = await startShop(t, inTurn([...faults]));
  await assert.rejects(shop.partner('POST', '/v1/orders', {}));
  const answers = [];
  for (let calls = 1; calls < faults.length; calls += 1) {
    const { status, body } = await shop.partner('POST', '/v1/orders', {});
    const { code, description } = body.error as Json;
    answers.push([status, code, description]);
  }
  assert.deepEqual(answers, [
    [503, 'SERVER_ERROR', 'The server is down; try again later.'],
    [429, 'BAD_REQUEST_ERROR', 'Request failed'],
    [400, 'BAD_REQUEST_ERROR', 'Too many requests'],
    [400, 'RATE_LIMIT_EXCEEDED', 'Request failed'],
    [400, 'BAD_REQUEST_ERROR', 'The request could not be processed'],
  ]);
  assert.equal((await shop.partner('GET', '/v1/orders')).body.count, 0);
});

test('repeat-refused: a refund is made, its answers are lost, a repeat is refused, and lists lag', async (t) => {
  let now = Date.now();
  const shop = await startShop(t, { now: () => now });
  await shop.simulator.pay(await shop.openOrder());
  const { id } = onlyPayment(shop.simulator);
  shop.simulator.setScenario({ name: 'repeat-refused', lagMs: 10_000 });
  const refund = () => shop.refundAtPartner(id, { amount: 50 }, 'refund-key-1');
  for (let lost = 0; lost < 3; lost += 1) await assert.rejects(refund(), /JSON/);
  assert.equal((await refund()).status, 400);
  const list = async () => (await shop.partner('GET', `/v1/payments/${id}/refunds`)).body.count;
  assert.equal(await list(), 0);
  now += 11_000;
  assert.equal(await list(), 1);
  assert.equal((await refund()).status, 200);
  assert.equal(shop.simulator.ledger().refunds.length, 1);
});

test('lists-lagging: the gateway does not know a new order for a while', async (t) => {
  let now = Date.now();
  const shop = await startShop(t, {
    now: () => now,
    scenario: { name: 'lists-lagging', lagMs: 10_000 },
  });
  await shop.simulator.pay(await shop.openSession(orderId));
  const path = `/api/rest/version/100/merchant/TESTSHOP/order/${orderId}`;
  assert.equal((await shop.gateway('GET', path)).status, 400);
  now += 11_000;
  assert.equal((await shop.gateway('GET', path)).body.totalCapturedAmount, 10.5);
});

test('rate-limited: starts and reads are refused in all three ways, then answered', async (t) => {
  const shop = await startShop(t, { scenario: { name: 'rate-limited' } });
  const order = { amount: 1050, currency: 'INR', receipt: 'o_1' };
  const statuses = async (method: string, path: string, body?: Json) => {
    const answers = [];
    for (let calls = 0; calls < 4; calls += 1) {
      answers.push((await shop.partner(method, path, body)).status);
    }
    return answers;
  };
  assert.deepEqual(await statuses('POST', '/v1/orders', order), [429, 400, 400, 200]);
  assert.deepEqual(await statuses('GET', '/v1/orders?receipt=o_1'), [429, 400, 400, 200]);
});

test('refund-late: a refund is reported as failed and made later, and the money moves then', async (t) => {
  const shop = await startShop(t, { timeScale: 0.0001, scenario: { name: 'refund-late' } });
  await shop.simulator.pay(await shop.openOrder());
  await shop.simulator.pay(await shop.openSession(orderId));
  for (const { id, provider } of shop.simulator.ledger().payments) {
    if (provider === 'partner') await shop.refundAtPartner(id, { amount: 50 });
    else await shop.refundAtGateway(orderId, 'r-1', '0.50');
  }
  await shop.simulator.settled();
  const events = shop.receiver.received.map(({ body }) => body);
  assert.ok(events.some((body) => body.includes('refund.failed')));
  assert.ok(events.some((body) => body.includes('refund.processed')));
  assert.deepEqual(
    shop.simulator
      .moved()
      .map(({ kind, amount, isAfterFailure }) => [kind, amount, isAfterFailure]),
    [
      ['captured', 1050, false],
      ['captured', 1050, false],
      ['refunded', 50, true],
      ['refunded', 50, true],
    ],
  );
});

test('refund-declined-in-part: the second call of a refund is declined and moves nothing', async (t) => {
  const shop = await startShop(t, {
    timeScale: 0.0001,
    scenario: { name: 'refund-declined-in-part' },
  });
  await shop.simulator.pay(await shop.openSession(orderId));
  await shop.simulator.settled();
  const refundId = 'o_1-260101000009';
  const refund = (id: string, target: string) =>
    shop.refundAtGateway(orderId, id, '1.00', { targetTransactionId: target });
  assert.equal((await refund(refundId, '2')).body.result, 'SUCCESS');
  assert.equal((await refund(`${refundId}-2`, '3')).body.result, 'FAILURE');
  assert.deepEqual(
    shop.simulator.moved().map(({ kind, amount, paymentId }) => [kind, amount, paymentId]),
    [
      ['captured', 630, `${orderId}|1`],
      ['captured', 420, `${orderId}|1`],
      ['refunded', 100, `${orderId}|1`],
    ],
  );
});

test('fee: the consumer pays a fee on top, which is known after the capture', async (t) => {
  const shop = await startShop(t, { scenario: { name: 'fee' } });
  await shop.simulator.pay(await shop.openOrder());
  await shop.receiver.until(3);
  const seen = shop.receiver.received.map(({ body }) => {
    const { event, payload } = JSON.parse(body);
    const { amount, fee, fee_bearer } = payload.payment.entity;
    return [event, amount, fee, fee_bearer];
  });
  assert.deepEqual(seen, [
    ['payment.authorized', 1075, null, 'customer'],
    ['payment.captured', 1075, 25, 'customer'],
    ['order.paid', 1075, 25, 'customer'],
  ]);
});

test('a refund that is made elsewhere raises the refunded amount and has no reference of ours', async (t) => {
  const shop = await startShop(t);
  const { simulator } = shop;
  await simulator.pay(await shop.openOrder());
  await simulator.pay(await shop.openSession(orderId));
  for (const { id } of simulator.ledger().payments) {
    assert.equal(await simulator.refundElsewhere(id, 1_051), false, 'more than was paid');
    assert.equal(await simulator.refundElsewhere(id, 50), true);
  }
  await simulator.settled();
  const [payment] = simulator.ledger().payments;
  const { body } = await shop.partner('GET', `/v1/payments/${payment?.id}`);
  assert.equal(body.amount_refunded, 50);
  const path = `/api/rest/version/100/merchant/TESTSHOP/order/${orderId}`;
  assert.equal((await shop.gateway('GET', path)).body.totalRefundedAmount, 0.5);
  assert.deepEqual(
    simulator.moved().flatMap(({ kind, reference }) => (kind === 'refunded' ? [reference] : [])),
    ['', ''],
  );
});

test('money that is voided was returned', async (t) => {
  const shop = await startShop(t, { timeScale: 0.0001, scenario: { name: 'void' } });
  await shop.simulator.pay(await shop.openSession(orderId));
  await shop.simulator.settled();
  assert.deepEqual(
    shop.simulator.moved().map(({ kind, amount, reference }) => [kind, amount, reference]),
    [
      ['captured', 1050, orderId],
      ['returned', 1050, orderId],
    ],
  );
});

test('the checkouts of an order include those whose answer was lost, and not those that are paid', async (t) => {
  const shop = await startShop(t, inTurn(['answer-lost', 'answer-lost']));
  await assert.rejects(shop.openOrder());
  await assert.rejects(shop.openSession());
  const open = () => shop.simulator.checkoutsOf('o_1');
  assert.equal(open().length, 2);
  await shop.simulator.pay(open()[0] ?? '');
  assert.equal(open().length, 1);
  await shop.simulator.pay(open()[0] ?? '');
  assert.deepEqual(open(), []);
});
