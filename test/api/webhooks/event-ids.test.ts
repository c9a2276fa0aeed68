/** The provider's event id is not covered by its signature, so the body decides what is a repeat. Contract 6.7. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { retryDelivery } from '../../../src/use-cases/inbox/retry-deliveries.ts';
import { partnerEvent, partnerId, partnerPayment } from '../../support/deliveries.ts';
import { newDelivery, storeBatch } from '../../support/inbox.ts';
import { refuseRows } from '../../support/refuse-rows.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertInvariants, assertReceived, captureOf, gatewayPaymentOf, openShop } from './shop.ts';

const shop = await openShop();
const { service } = shop;
const reused = /its event id came before with another body/;

test('an old body under a new id is a duplicate and does not take the id from the genuine event', async () => {
  const [old, fresh] = [await shop.createOrder(), await shop.createOrder()];
  const oldBody = captureOf(old);
  await shop.sendPartner(oldBody, { eventId: 'genuineevent01' });
  const before = await dumpTables(service.database);
  const replay = await shop.sendPartner(oldBody, { eventId: 'stolenevent001' });
  assertReceived(replay, { status: 'duplicate', order_id: old.order_id });
  assert.deepEqual(await dumpTables(service.database), before);

  const genuine = await shop.sendPartner(captureOf(fresh), { eventId: 'stolenevent001' });
  assertReceived(genuine, { status: 'processed', order_id: fresh.order_id });
  assert.equal(await orderStatus(fresh.order_id), 'completed');
});

for (const provider of ['partner', 'bank-gateway'] as const) {
  test(`the same id of ${provider} with another body is applied and flagged, each of the two once`, async () => {
    const orders = [await shop.createOrder(), await shop.createOrder()];
    const eventId = `reusedid${provider}`;
    const bodies = orders.map((order) =>
      JSON.stringify(provider === 'partner' ? captureOf(order) : gatewayPaymentOf(order)),
    );
    const send = (body = '') =>
      provider === 'partner'
        ? shop.sendPartner(body, { eventId })
        : shop.sendGateway(JSON.parse(body), { eventId });
    const [first, second] = [await send(bodies[0]), await send(bodies[1])];
    const [one, two] = orders.map(({ order_id }) => order_id);
    assertReceived(first, { status: 'processed', ...(one && { order_id: one }) });
    assertReceived(second, {
      status: 'needs_review',
      ...(two && { order_id: two }),
      message: reused,
    });
    const rows = await storedOf(first, second);
    assert.deepEqual(rows, [
      { event_id: eventId, delivery_key: digestOf(bodies[0]), state: 'processed', flags: [] },
      {
        event_id: null,
        delivery_key: digestOf(bodies[1]),
        state: 'needs_review',
        flags: ['event_id_reused'],
      },
    ]);
    for (const order_id of [one, two]) assert.equal(await orderStatus(order_id), 'completed');
    for (const body of bodies) assert.equal((await send(body)).body.status, 'duplicate');
  });
}

test('only the delivery is flagged: the transaction does not depend on which came first', async () => {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf(await shop.createOrder()), { eventId: 'flagwhere00001' });
  await shop.sendPartner(captureOf({ order_id }), { eventId: 'flagwhere00001' });
  const { rows } = await service.database.query({
    text: `select o.flags, t.flags as of_transaction from orders o join transactions t using (account_id, order_id)
            where order_id = $1`,
    values: [order_id],
  });
  assert.deepEqual(rows, [{ flags: [], of_transaction: [] }]);
});

test('a flagged delivery keeps its flag beside those of its order, and when it is replayed', async () => {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf(await shop.createOrder()), { eventId: 'flagboth000001' });
  const low = captureOf({ order_id }, { amount: 100 });
  const reply = await shop.sendPartner(low, { eventId: 'flagboth000001' });
  const before = await shop.findDelivery(reply);
  assert.deepEqual(
    [before?.state, before?.flags],
    ['needs_review', ['amount_mismatch', 'event_id_reused']],
  );
  const { accountId } = shop.account;
  await retryDelivery(service.services, accountId, reply.body.delivery_id, 'requested');
  assert.deepEqual(await shop.findDelivery(reply), before);
});

test('two bodies under one id are both applied when their orders appear, whichever was parked first', async () => {
  const eventId = 'parkedreuse001';
  const invoices = ['REUSE-1', 'REUSE-2'];
  const replies: Reply[] = [];
  for (const invoice_id of invoices) {
    const payment = partnerPayment({ notes: { invoice_id } });
    replies.push(
      await shop.sendPartner(partnerEvent('payment.captured', { payment }), { eventId }),
    );
  }
  assert.deepEqual(statusesOf(replies), ['parked', 'parked']);
  for (const invoice_id of invoices.toReversed()) await shop.createOrder({ invoice_id });
  const rows = await storedOf(...replies);
  assert.deepEqual(
    rows.map(({ state, flags }) => [state, flags]),
    [
      ['processed', []],
      ['needs_review', ['event_id_reused']],
    ],
  );
  for (const invoice_id of invoices) {
    assert.equal((await shop.enquire({ invoice_id })).body.order.status, 'completed');
  }
});

test('a delivery that cannot be applied now keeps its flag for later', async () => {
  const eventId = 'brokenreuse001';
  const [one, two] = [await shop.createOrder(), await shop.createOrder()];
  await shop.sendPartner(captureOf(one), { eventId });
  const mend = await refuseRows(service.database, 'transactions');
  const kept = await shop.sendPartner(captureOf(two), { eventId });
  await mend();
  assert.deepEqual(
    (await storedOf(kept)).map(({ event_id, state, flags }) => [event_id, state, flags]),
    [[null, 'received', ['event_id_reused']]],
  );
  await retryDelivery(service.services, shop.account.accountId, kept.body.delivery_id, 'requested');
  assert.equal((await shop.findDelivery(kept))?.state, 'needs_review');
  assert.equal(await orderStatus(two.order_id), 'completed');
});

test('fifty concurrent replays of one body under fifty ids are one row with one effect', async () => {
  const { order_id } = await shop.createOrder();
  const body = captureOf({ order_id });
  const replies = await Promise.all(Array.from({ length: 50 }, () => shop.sendPartner(body)));
  const [last, ...others] = statusesOf(replies).reverse();
  assert.equal(last, 'processed');
  assert.deepEqual([...new Set(others)], ['duplicate']);
  assert.equal(await countDeliveries(order_id), 1);
});

test('fifty replays under fifty ids in concurrent transactions are one row with one effect', async () => {
  const { order_id } = await shop.createOrder();
  const body = JSON.stringify(captureOf({ order_id }));
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, () => storeAlone(body, partnerId('order'))),
  );
  assert.deepEqual(outcomes.toSorted(), [...Array(49).fill('duplicate'), 'processed']);
  assert.equal(await countDeliveries(order_id), 1);
});

test('one id with many concurrent bodies: each is applied and one holds the id, in a batch and across transactions', async () => {
  for (const isBatch of [true, false]) {
    const orders = await Promise.all(Array.from({ length: 6 }, () => shop.createOrder()));
    const eventId = `manybodies${isBatch}`;
    const bodies = orders.map((order) => JSON.stringify(captureOf(order)));
    const outcomes = isBatch
      ? (await Promise.all(bodies.map((body) => shop.sendPartner(body, { eventId })))).map(
          ({ body }) => body.status,
        )
      : await Promise.all(bodies.map((body) => storeAlone(body, eventId)));
    assert.deepEqual(outcomes.toSorted(), [...Array(5).fill('needs_review'), 'processed']);
    for (const { order_id } of orders) assert.equal(await orderStatus(order_id), 'completed');
    const { rows } = await service.database.query({
      text: 'select state from deliveries where event_id = $1',
      values: [eventId],
    });
    assert.deepEqual(rows, [{ state: 'processed' }]);
  }
});

test('a bearer caller gets the same reply', async () => {
  const [one, two] = [await shop.createOrder(), await shop.createOrder()];
  const send = async (body: object, eventId: string) =>
    service.call('/api/v3/webhooks/partner', {
      token: await shop.freshToken(),
      headers: { 'x-razorpay-event-id': eventId },
      body,
    });
  const body = captureOf(one);
  assert.equal((await send(body, 'bearerevent001')).body.status, 'processed');
  assert.equal((await send(body, 'bearerevent002')).body.status, 'duplicate');
  const other = await send(captureOf(two), 'bearerevent001');
  assertReceived(other, { status: 'needs_review', order_id: two.order_id, message: reused });
});

test('a bearer caller who gets 404 does not take the id', async () => {
  const eventId = 'refusedbearer1';
  const unknown = captureOf({ order_id: 'o_0000000000000000' });
  const refused = await service.call('/api/v3/webhooks/partner', {
    token: await shop.freshToken(),
    headers: { 'x-razorpay-event-id': eventId },
    body: unknown,
  });
  assert.equal(refused.status, 404);
  const { order_id } = await shop.createOrder();
  assertReceived(await shop.sendPartner(captureOf({ order_id }), { eventId }), {
    status: 'processed',
    order_id,
  });
});

test('an id that is too long for an index is recognised by its digest', async () => {
  const { order_id } = await shop.createOrder();
  const eventId = 'e'.repeat(5_000);
  const reply = await shop.sendPartner(captureOf({ order_id }), { eventId });
  assertReceived(reply, { status: 'processed', order_id });
  assert.equal((await storedOf(reply))[0]?.event_id, digestOf(eventId));
});

test('the invariants hold after all of this', () => assertInvariants(shop));

/** As another process would send it: not in one transaction with the others. */
async function storeAlone(body: string, eventId: string): Promise<string> {
  const { services } = service;
  const account = await services.accounts.get(shop.account.accountId);
  const bytes = Buffer.from(body);
  const raw = { key: digestOf(body), eventId, headers: {}, body: bytes };
  const delivery = newDelivery(services, account, 'partner', raw);
  const [kept] = await storeBatch(services, [{ caller: 'provider', delivery }]);
  return kept && 'received' in kept ? kept.received.status : 'refused';
}

async function storedOf(...replies: Reply[]) {
  const stored = [];
  for (const { body } of replies) {
    const { rows } = await service.database.query<{
      event_id: string | null;
      delivery_key: string;
      state: string;
      flags: string[];
    }>({
      text: 'select event_id, delivery_key, state, flags from deliveries where delivery_id = $1',
      values: [body.delivery_id],
    });
    stored.push(...rows);
  }
  return stored;
}

async function countDeliveries(orderId: string): Promise<number | undefined> {
  const { rows } = await service.database.query<{ count: number }>({
    text: `select count(*)::int as count from deliveries where order_id = $1`,
    values: [orderId],
  });
  return rows[0]?.count;
}

async function orderStatus(order_id: string | undefined): Promise<string> {
  return (await shop.enquire({ order_id })).body.order.status;
}

function statusesOf(replies: readonly Reply[]): string[] {
  return replies.map(({ body }) => body.status).sort();
}

function digestOf(text = ''): string {
  return createHash('sha256').update(text).digest('hex');
}
