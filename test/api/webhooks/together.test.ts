import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newOrderId } from '../../../src/domain/ids.ts';
import { addSeconds } from '../../../src/domain/time.ts';
import type { Database } from '../../../src/postgres/database.ts';
import { lockOrder } from '../../../src/store/orders/orders.ts';
import { retryDue } from '../../../src/use-cases/inbox/retry-due.ts';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { gatewayBody, partnerId } from '../../support/deliveries.ts';
import { lockAndResolveOrders, newDelivery, storeBatch } from '../../support/inbox.ts';
import { refuseRows } from '../../support/refuse-rows.ts';
import { assertInvariants, captureOf, openShop } from './shop.ts';

const shop = await openShop();
const { service } = shop;
const many = Array.from({ length: 30 });

test('thirty concurrent deliveries for thirty orders are each applied to their own order', async () => {
  const orders = await Promise.all(many.map(() => shop.createOrder()));
  const replies = await Promise.all(orders.map((order) => shop.sendPartner(captureOf(order))));
  assert.deepEqual(
    replies.map(({ status, body }) => [status, body.status, body.order_id]),
    orders.map(({ order_id }) => [200, 'processed', order_id]),
  );
  for (const { order_id } of orders) {
    const { body } = await shop.enquire({ order_id });
    assert.equal(body.order.status, 'completed');
    assert.equal(body.transaction.length, 1);
  }
});

test('of two concurrent transactions that tie one partner order to two orders, the second sees the first', async () => {
  const { services } = service;
  const { account } = shop;
  const kept = await services.accounts.get(account.accountId);
  for (let round = 0; round < 10; round += 1) {
    const orders = [await shop.createOrder(), await shop.createOrder()];
    const shared = { order_id: partnerId('order') };
    // As two processes would: concurrent deliveries to one process go into one transaction.
    const outcomes = await Promise.all(
      orders.map((order, index) => {
        const body = Buffer.from(JSON.stringify(captureOf(order, shared)));
        const raw = { key: `evt-${shared.order_id}-${index}`, headers: {}, body };
        const delivery = newDelivery(services, kept, 'partner', raw);
        return storeBatch(services, [{ caller: 'provider', delivery }]);
      }),
    );
    const states = outcomes.map(([entry]) => entry && 'received' in entry && entry.received.status);
    assert.deepEqual(states.sort(), ['needs_review', 'processed']);
  }
});

test('a transaction id that one delivery releases and the next takes has the type of the new transaction', async () => {
  const { services } = service;
  const kept = await services.accounts.get(shop.account.accountId);
  const { order_id } = await shop.createOrder();
  const at = '2026-11-14T10:00:30.000Z';
  const record = (id: string, type: string, changes: object = {}, key = id) => {
    const times = { timeOfRecord: at, timeOfLastUpdate: at };
    const order = { id: order_id, creationTime: at, lastUpdatedTime: at };
    const body = gatewayBody({ ...times, ...changes, order, transaction: { id, type } });
    const raw = { key: `${order_id}-${key}`, headers: {}, body: Buffer.from(JSON.stringify(body)) };
    return {
      caller: 'provider',
      delivery: newDelivery(services, kept, 'bank-gateway', raw),
    } as const;
  };
  const early = { timeOfRecord: '2026-11-14T09:00:00.000Z' };
  const declined = { ...early, result: 'FAILURE', response: { gatewayCode: 'DECLINED' } };
  // Next to a failed payment it is a payment of its own; otherwise it is a part of that payment.
  await storeBatch(services, [record('P', 'PAYMENT', declined, 'declined')]);
  await storeBatch(services, [record('C', 'CAPTURE')]);
  const { transaction } = (await shop.enquire({ order_id })).body;
  const [capture] = transaction.filter(
    ({ payment_status }: { payment_status: string }) => payment_status === 'succeeded',
  );
  const refund = record('R', 'REFUND', { timeOfRecord: timeOfId(capture.svc_transaction_id) });
  await storeBatch(services, [record('P', 'PAYMENT', early, 'paid'), refund]);
  const { body } = await shop.enquire({ order_id });
  const types = body.transaction.map(
    ({ transaction_type }: { transaction_type: string }) => transaction_type,
  );
  assert.deepEqual(types.sort(), ['full_refund', 'payment']);
  await assertInvariants(shop);
});

test('a payment that one delivery of a batch flags as a duplicate stays one for the next', async () => {
  const { services } = service;
  const kept = await services.accounts.get(shop.account.accountId);
  const order = await shop.createOrder();
  const report = (id: string, event: string, created_at: number) => {
    const body = { ...captureOf(order, { id }), event, created_at };
    const key = `${order.order_id}-${id}-${created_at}`;
    const raw = { key, headers: {}, body: Buffer.from(JSON.stringify(body)) };
    return { caller: 'provider', delivery: newDelivery(services, kept, 'partner', raw) } as const;
  };
  const [first, second] = [partnerId('pay'), partnerId('pay')];
  // The last report has the earliest time: had nothing been flagged, the second payment would pay for the order.
  await storeBatch(services, [
    report(first, 'payment.captured', 1_794_650_100),
    report(second, 'payment.captured', 1_794_650_400),
    report(second, 'order.paid', 1_794_650_050),
  ]);
  const { rows } = await service.database.query<{ psp_transaction_id: string }>({
    text: `select psp_transaction_id from transactions where order_id = $1
      and 'duplicate_capture' = any(flags)`,
    values: [order.order_id],
  });
  assert.deepEqual(rows, [{ psp_transaction_id: second }]);
  await assertInvariants(shop);
});

test('orders are locked before the lookup only if every delivery names its order', async () => {
  const { services } = service;
  const account = await services.accounts.get(shop.account.accountId);
  const [one, two] = [await shop.createOrder(), await shop.createOrder()];
  const deliver = (event: object) => {
    const raw = { key: partnerId('order'), headers: {}, body: Buffer.from(JSON.stringify(event)) };
    return newDelivery(services, account, 'partner', raw);
  };
  const countLocked = (...events: object[]) =>
    services.database.transaction(async (tx) => {
      const { orderStates } = await lockAndResolveOrders(tx, events.map(deliver));
      return orderStates.length;
    });
  const byInvoice = captureOf(two, { notes: { invoice_id: two.invoice_id } });
  assert.equal(await countLocked(captureOf(one), captureOf(two)), 2);
  assert.equal(await countLocked(captureOf(one), byInvoice), 0);
});

test('a delivery that cannot be applied is stored unapplied, and the others of its batch are applied', async () => {
  const orders = await Promise.all(many.map(() => shop.createOrder()));
  const [bad, ...others] = orders;
  assert.ok(bad);
  const mend = await refuseTransactionsOf(service.database, bad.order_id);
  const replies = await Promise.all(orders.map((order) => shop.sendPartner(captureOf(order))));
  assert.deepEqual(
    replies.map(({ status, body }) => [status, body.status]),
    [[200, 'parked'], ...others.map(() => [200, 'processed'])],
  );
  await mend();
  service.advanceSeconds(2);
  await sweep(service.services);
  assert.equal((await shop.enquire({ order_id: bad.order_id })).body.order.status, 'completed');
});

test('of due deliveries that are retried together, the one that cannot be applied fails alone', async () => {
  const { orders, sent } = await storeUnapplied();
  const [bad] = orders;
  assert.ok(bad);
  const mend = await refuseTransactionsOf(service.database, bad.order_id);
  service.advanceSeconds(2);
  assert.equal(await retryDue(service.services), orders.length);
  const outcomes = await Promise.all(sent.map(shop.findDelivery));
  await mend();
  assert.deepEqual(
    outcomes.map((delivery) => [delivery?.state, delivery?.tries]),
    orders.map((order) => (order === bad ? ['received', 2] : ['processed', 1])),
  );
});

test('processes that retry at the same time try each due delivery once', async () => {
  const unknown = Array.from({ length: 120 }, () =>
    captureOf({ order_id: newOrderId(new Date()) }),
  );
  const sent = await Promise.all(unknown.map((body) => shop.sendPartner(body)));
  const ids = sent.map(({ body }) => body.delivery_id);
  // No other is due, and none of these is due twice: the try after the next one is half an hour away.
  await service.database.query({
    text: 'update deliveries set next_try_at = $1 where next_try_at is not null',
    values: [addSeconds(service.services.clock(), 86_400)],
  });
  await service.database.query({
    text: 'update deliveries set tries = 10, next_try_at = $2 where delivery_id = any($1::text[])',
    values: [ids, service.services.clock()],
  });
  const tried = await Promise.all(Array.from({ length: 8 }, () => retryDue(service.services)));
  assert.ok(tried.filter((count) => count > 0).length > 1, `they took ${tried}`);
  for (let rest = 1; rest > 0; tried.push(rest)) rest = await retryDue(service.services);
  assert.equal(
    tried.reduce((sum, count) => sum + count, 0),
    sent.length,
  );
  const tries = (await shop.listDeliveries())
    .filter(({ delivery_id }) => ids.includes(delivery_id))
    .map((delivery) => delivery.tries);
  assert.deepEqual(new Set(tries), new Set([11]));
});

test('retries and webhooks for the same orders do not deadlock', async () => {
  const { orders, sent, bodies } = await storeUnapplied();
  service.advanceSeconds(2);
  const others = orders.toReversed().map((order) => shop.sendPartner(captureOf(order)));
  const repeats = bodies.toReversed().map((body) => shop.sendPartner(body));
  const [replies] = await Promise.all([
    Promise.all([...others, ...repeats]),
    ...Array.from({ length: 4 }, () => retryDue(service.services)),
  ]);
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  while ((await retryDue(service.services)) > 0);
  const states = (await Promise.all(sent.map(shop.findDelivery))).map(
    (delivery) => delivery?.state,
  );
  assert.ok(!states.includes('received') && !states.includes('parked'), states.join());
});

test('a locked order does not delay the retries for other orders', async () => {
  const { orders, sent } = await storeUnapplied();
  const [held] = orders;
  assert.ok(held);
  const release = await holdOrder(held.order_id);
  service.advanceSeconds(2);
  const retrying = retryDue(service.services);
  await waitUntil('the others are applied', async () => {
    const states = (await Promise.all(sent.map(shop.findDelivery))).map((entry) => entry?.state);
    return states.filter((state) => state === 'processed').length === orders.length - 1;
  });
  await release();
  await retrying;
  while ((await retryDue(service.services)) > 0);
  assert.equal((await shop.enquire({ order_id: held.order_id })).body.order.status, 'completed');
});

test('in a batch, a bearer caller gets 404 for an unknown order and nothing of its delivery is stored', async () => {
  const order = await shop.createOrder();
  const unknown = { order_id: 'o_0000000000000000' };
  const [known, refused, parked] = await Promise.all([
    shop.sendPartner(captureOf(order)),
    shop.sendAsBearer('partner', captureOf(unknown)),
    shop.sendPartner(captureOf(unknown)),
  ]);
  assert.equal(known.body.status, 'processed');
  assert.equal(refused.status, 404);
  assert.equal(parked.body.status, 'parked');
});

test('of copies in one batch the provider’s is stored, whichever came first, and the bearer caller gets 404', async () => {
  for (const isBearerFirst of [true, false]) {
    // Without an event id they are identified by their bytes.
    const order_id = `o_${String(isBearerFirst).padEnd(16, '0')}`;
    const event = JSON.stringify(captureOf({ order_id }));
    const asProvider = () => shop.sendPartner(event, { eventId: '' });
    const asBearer = () => shop.sendAsBearer('partner', event);
    const calls = isBearerFirst ? [asBearer, asProvider] : [asProvider, asBearer];
    const replies = await Promise.all(calls.map((call) => call()));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 404]);
  }
});

test('a locked order does not delay the deliveries for other orders', async () => {
  const [held, free] = [await shop.createOrder(), await shop.createOrder()];
  const release = await holdOrder(held.order_id);
  const waiting = shop.sendPartner(captureOf(held));
  const others = await Promise.all([
    shop.sendPartner(captureOf(free)),
    shop.sendPartner(captureOf(free)),
  ]);
  assert.deepEqual(
    others.map(({ status }) => status),
    [200, 200],
  );
  await release();
  assert.equal((await waiting).body.status, 'processed');
});

test('the invariants hold after all of this', () => assertInvariants(shop));

/** Deliveries of thirty orders that could not be applied when they arrived. */
async function storeUnapplied() {
  const orders = await Promise.all(many.map(() => shop.createOrder()));
  const bodies = orders.map((order) => captureOf(order));
  const mend = await refuseRows(service.database, 'transactions');
  const sent = await Promise.all(bodies.map((body) => shop.sendPartner(body)));
  await mend();
  // On a slow machine some were tried twice by now.
  await service.database.query({
    text: `update deliveries set tries = 1, next_try_at = $1 where state = 'received'`,
    values: [service.services.clock()],
  });
  return { orders, sent, bodies };
}

/** Locks an order; returns a function that releases it. */
async function holdOrder(orderId: string): Promise<() => Promise<void>> {
  const gate = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = service.database.transaction(async (tx) => {
    await tx.query({ text: 'set local idle_in_transaction_session_timeout = 0' });
    await lockOrder(tx, shop.account.accountId, orderId);
    isHeld.resolve();
    await gate.promise;
  });
  await isHeld.promise;
  return async () => {
    gate.resolve();
    await holding;
  };
}

async function refuseTransactionsOf(
  database: Database,
  orderId: string,
): Promise<() => Promise<void>> {
  return refuseRows(database, 'transactions', `order_id <> '${orderId}'`);
}

/** The second that a transaction id ends with, `yyMMddHHmmss`. */
function timeOfId(transactionId: string): string {
  const [year, month, day, hour, minute, second] = transactionId.slice(-12).match(/../g) ?? [];
  return `20${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
}
