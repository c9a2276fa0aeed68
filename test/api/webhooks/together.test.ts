import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../src/postgres/database.ts';
import { lockOrder } from '../../../src/store/orders.ts';
import { sweep } from '../../../src/use-cases/maintenance/sweep.ts';
import { gatewayBody, partnerId } from '../../support/deliveries.ts';
import { lockAndResolveOrders, newDelivery, storeBatch } from '../../support/inbox.ts';
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
      orders.map((order, place) => {
        const body = Buffer.from(JSON.stringify(captureOf(order, shared)));
        const raw = { key: `evt-${shared.order_id}-${place}`, headers: {}, body };
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
  const gate = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = service.database.transaction(async (tx) => {
    await lockOrder(tx, shop.account.accountId, held.order_id);
    isHeld.resolve();
    await gate.promise;
  });
  await isHeld.promise;
  const waiting = shop.sendPartner(captureOf(held));
  const others = await Promise.all([
    shop.sendPartner(captureOf(free)),
    shop.sendPartner(captureOf(free)),
  ]);
  assert.deepEqual(
    others.map(({ status }) => status),
    [200, 200],
  );
  gate.resolve();
  await holding;
  assert.equal((await waiting).body.status, 'processed');
});

test('the invariants hold after all of this', () => assertInvariants(shop));

async function refuseTransactionsOf(
  database: Database,
  orderId: string,
): Promise<() => Promise<void>> {
  await database.query({
    text: `create function refuse_one() returns trigger language plpgsql as
           $$ begin if new.order_id = '${orderId}' then raise exception 'broken for a test'; end if;
              return new; end $$`,
  });
  await database.query({
    text: 'create trigger broken before insert on transactions for each row execute function refuse_one()',
  });
  return async () => {
    await database.query({ text: 'drop function refuse_one() cascade' });
  };
}

/** The second that a transaction id ends with, `yyMMddHHmmss`. */
function timeOfId(transactionId: string): string {
  const [year, month, day, hour, minute, second] = transactionId.slice(-12).match(/../g) ?? [];
  return `20${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
}
