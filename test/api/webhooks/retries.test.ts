import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { limits } from '../../../src/domain/limits.ts';
import { addSeconds } from '../../../src/domain/time.ts';
import { retryDue } from '../../../src/use-cases/inbox/retry-due.ts';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { anyText } from '../../support/any-text.ts';
import { gatewayBody, partnerEvent, partnerId, partnerPayment } from '../../support/deliveries.ts';
import { refuseRows } from '../../support/refuse-rows.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertInvariants, assertReceived, captureOf, gatewayPaymentOf, openShop } from './shop.ts';

const shop = await openShop();
const { service } = shop;
const day = 24 * 3600;

test('a parked delivery is retried 16 times at growing intervals and is then dead', async () => {
  const parked = await shop.sendPartner(waitingFor('nobody'));
  const first = await shop.findDelivery(parked);
  assert.deepEqual([first?.state, first?.tries], ['parked', 1]);

  const intervals = await tryUntilDead(parked);

  assert.equal(intervals.length, 15);
  assert.deepEqual(
    intervals,
    intervals.toSorted((a, b) => a - b),
  );
  const dead = await shop.findDelivery(parked);
  assert.deepEqual([dead?.state, dead?.tries, dead?.next_try_at], ['dead', 16, null]);
  service.advanceSeconds(30 * day);
  await sweep(service.services);
  assert.equal((await shop.findDelivery(parked))?.tries, 16, 'it is left alone');
});

test('a dead delivery is still applied when its order is created', async () => {
  const invoice_id = partnerId('order');
  const parked = await shop.sendPartner(waitingFor(invoice_id));
  await tryUntilDead(parked);
  const { order_id } = await shop.createOrder({ invoice_id });
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
  assert.equal((await shop.findDelivery(parked))?.state, 'processed');
});

test('deliveries whose order has appeared are tried before those that nobody knows', async () => {
  const invoice_id = partnerId('order');
  const own = await Promise.all(
    Array.from({ length: 25 }, () => shop.sendPartner(waitingFor(invoice_id))),
  );
  const foreign = Array.from({ length: limits.retryBatchMax }, () =>
    shop.sendPartner(waitingFor(partnerId('order'))),
  );
  await Promise.all(foreign);
  service.advanceSeconds(10);
  // All of them are due, and more than one batch. The order applies 20 of its deliveries itself.
  await service.database.query({
    text: `update deliveries set next_try_at = $2
            where state = 'parked' and not delivery_id = any($1::text[])`,
    values: [own.map(({ body }) => body.delivery_id), addSeconds(service.services.clock(), -3600)],
  });
  await shop.createOrder({ invoice_id });
  await retryDue(service.services);
  const states = await Promise.all(
    own.map(async (reply) => (await shop.findDelivery(reply))?.state),
  );
  assert.ok(!states.includes('parked'), states.join());
});

test('a delivery that can never be applied is answered 200, retried 16 times and is then dead', async () => {
  const { order_id } = await shop.createOrder();
  const body = captureOf({ order_id });
  const mend = await refuseRows(service.database, 'transactions');
  const kept = await shop.sendPartner(body, { eventId: 'poison00000001' });
  assert.equal(kept.status, 200);
  const first = await shop.findDelivery(kept);
  assert.deepEqual([first?.state, first?.tries], ['received', 1]);

  await tryUntilDead(kept);
  const dead = await shop.findDelivery(kept);
  assert.deepEqual([dead?.state, dead?.tries, dead?.next_try_at], ['dead', 16, null]);
  const repeat = await shop.sendPartner(body, { eventId: 'poison00000001' });
  assert.equal(repeat.status, 200, 'even now');
  await mend();

  const mended = await shop.sendPartner(body, { eventId: 'poison00000001' });
  assertReceived(mended, { status: 'processed', order_id });
  assert.equal((await shop.findDelivery(kept))?.state, 'processed');
});

test('a failing delivery does not block others', async () => {
  const { order_id } = await shop.createOrder();
  const mend = await refuseRows(service.database, 'transactions');
  const broken = await shop.sendPartner(captureOf({ order_id }));
  const parked = await shop.sendPartner(waitingFor('nobody'));
  service.advanceSeconds(1.5);
  await sweep(service.services);
  const tries = [await shop.findDelivery(broken), await shop.findDelivery(parked)];
  await mend();
  assert.deepEqual(
    tries.map((delivery) => delivery?.tries),
    [2, 2],
  );
});

/** Values that a broken or hostile sender may send in a field. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>('\0', '\ud800', -1, 1e308, 0.1, 2 ** 53, '', [], {}, [[null]], true),
  anyText({ maxLength: 40 }),
);
const someOf = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), anything, { maxKeys: 5 });

test('whatever the partner sends besides event and id, it is answered 200 and understood', async () => {
  const event = fc.constantFrom('payment.captured', 'payment.failed', 'payment.authorized');
  const fields = Object.keys(partnerPayment()).filter((name) => name !== 'id');
  await fc.assert(
    fc.asyncProperty(event, someOf(fields), anything, async (name, changed, created_at) => {
      const { order_id } = await shop.createOrder();
      const payment = partnerPayment({ notes: { svc_order_id: order_id }, ...changed });
      const body = partnerEvent(name, { payment }, { created_at });
      await assertUnderstood(await shop.sendPartner(body), body);
    }),
    { numRuns: 60 },
  );
});

test('whatever the gateway sends besides its ids, it is answered 200 and understood', async () => {
  const type = fc.constantFrom('PAYMENT', 'CAPTURE', 'AUTHORIZATION', 'REFUND', 'VOID_PAYMENT');
  const base = gatewayBody();
  const fieldsOf = (group: unknown) =>
    Object.keys(group as object).filter((name) => name !== 'id' && name !== 'type');
  const groups = Object.keys(base).filter(
    (name) => !['order', 'transaction', 'result'].includes(name),
  );
  const changes = fc.tuple(
    someOf(groups),
    someOf(fieldsOf(base.order)),
    someOf([...fieldsOf(base.transaction), 'targetTransactionId']),
  );
  await fc.assert(
    fc.asyncProperty(type, changes, async (type, [top, order, transaction]) => {
      const created = await shop.createOrder();
      const named = gatewayPaymentOf(created, { order, transaction: { type, ...transaction } });
      const body = { ...named, ...top };
      await assertUnderstood(await shop.sendGateway(body), body);
    }),
    { numRuns: 60 },
  );
});

test('an order that is not paid within a day lapses at the sweep, with a row of history', async () => {
  const untouched = await shop.createOrder();
  const tried = await shop.createOrder();
  const paid = await shop.createOrder();
  await shop.sendPartner(captureOf(paid));
  const failure = partnerPayment({ notes: { svc_order_id: tried.order_id } });
  await shop.sendPartner(partnerEvent('payment.failed', { payment: failure }));

  service.advanceSeconds(day - 60);
  await sweep(service.services);
  assert.deepEqual(await statusesOf(untouched, tried, paid), ['new', 'pending', 'completed']);
  service.advanceSeconds(120);
  assert.deepEqual(await statusesOf(untouched, tried, paid), ['lapsed', 'lapsed', 'completed']);
  await sweep(service.services);
  assert.deepEqual(await statusesOf(untouched, tried, paid), ['lapsed', 'lapsed', 'completed']);

  const [row, ...others] = await shop.listHistory(untouched);
  assert.deepEqual(others, []);
  assert.equal(row?.transactionId, null);
  assert.equal(row?.cause, 'time');
  assert.deepEqual(row?.changes, [{ field: 'status', from: 'new', to: 'lapsed' }]);
  assert.equal((await shop.listHistory(tried)).length, 3);
  await sweep(service.services);
  assert.equal((await shop.listHistory(tried)).length, 3, 'a second sweep changes nothing');
});

test('verify accepts an order that lapsed by a clock that is ahead of its own', async () => {
  const { order_id } = await shop.createOrder();
  service.advanceSeconds(day + 1);
  await sweep(service.services);
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'lapsed');
  const clock = () => addSeconds(service.services.clock(), -limits.clockSkewSecondsMax);
  const { breaches } = await verifyInvariants({ database: service.database, clock });
  assert.deepEqual(breaches, []);
});

test('a capture after the order lapsed completes it', async () => {
  for (const sweeps of [true, false]) {
    const order = await shop.createOrder();
    service.advanceSeconds(2 * day);
    if (sweeps) await sweep(service.services);
    assert.deepEqual(await statusesOf(order), ['lapsed']);
    const reply = await shop.sendGateway(gatewayPaymentOf(order));
    assertReceived(reply, { status: 'processed', order_id: order.order_id });
    assert.deepEqual(await statusesOf(order), ['completed']);
    const last = (await shop.listHistory(order)).at(-1);
    assert.equal(last?.cause, reply.body.delivery_id);
    assert.deepEqual(last?.changes[0], {
      field: 'status',
      from: sweeps ? 'lapsed' : 'new',
      to: 'completed',
    });
  }
});

test('fifteen failed attempts lapse an order, and a success still completes it', async () => {
  const order = await shop.createOrder();
  for (let attempt = 1; attempt <= 15; attempt += 1) {
    assert.deepEqual(await statusesOf(order), [attempt === 1 ? 'new' : 'pending']);
    const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
    await shop.sendPartner(partnerEvent('payment.failed', { payment }));
  }
  assert.deepEqual(await statusesOf(order), ['lapsed']);
  await shop.sendPartner(captureOf(order));
  assert.deepEqual(await statusesOf(order), ['completed']);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

async function assertUnderstood(reply: Reply, body: object): Promise<void> {
  assert.equal(reply.status, 200, JSON.stringify(body));
  assert.notEqual((await shop.findDelivery(reply))?.state, 'received', JSON.stringify(body));
}

function waitingFor(invoice_id: string): Record<string, unknown> {
  return partnerEvent('payment.captured', { payment: partnerPayment({ notes: { invoice_id } }) });
}

/** Moves the clock to each retry; returns the seconds in between, up to a maximum. */
async function tryUntilDead(reply: Reply): Promise<number[]> {
  const intervals: number[] = [];
  while (intervals.length < 20) {
    const delivery = await shop.findDelivery(reply);
    if (!delivery?.next_try_at) break;
    const waitMs = delivery.next_try_at.getTime() - service.services.clock().getTime();
    intervals.push(Math.ceil(waitMs / 1000));
    service.advanceSeconds(Math.max(0, waitMs) / 1000);
    await sweep(service.services);
    assert.equal((await shop.findDelivery(reply))?.tries, delivery.tries + 1);
  }
  return intervals;
}

async function statusesOf(...orders: readonly { order_id: string }[]): Promise<string[]> {
  const replies = await Promise.all(orders.map(({ order_id }) => shop.enquire({ order_id })));
  return replies.map(({ body }) => body.order.status);
}
