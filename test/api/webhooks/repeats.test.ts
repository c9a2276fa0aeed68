import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retrySeconds } from '../../../src/domain/inbox/retry-schedule.ts';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import {
  partnerEvent,
  partnerId,
  partnerPayment,
  partnerRefund,
  toFormData,
} from '../../support/deliveries.ts';
import { refuseRows } from '../../support/refuse-rows.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import {
  assertInvariants,
  assertReceived,
  captureOf,
  gatewayPaymentOf,
  openShop,
  shopOf,
} from './shop.ts';

const shop = await openShop();
const { service } = shop;

test('thirty concurrent copies of a delivery have one effect', async () => {
  const order = await shop.createOrder();
  const body = captureOf(order);
  const replies = await Promise.all(
    copies(30, () => shop.sendPartner(body, { eventId: 'thirtycopies01' })),
  );
  assertOneEffect(replies);
  await assertOneNotice(order.order_id);
});

test('thirty copies without an event id have one effect, identified by their bytes', async () => {
  const order = await shop.createOrder();
  const body = captureOf(order);
  assertOneEffect(await Promise.all(copies(30, () => shop.sendAsBearer('partner', body))));
  await assertOneNotice(order.order_id);
});

test('thirty copies of the gateway, as JSON and as form data, have one effect', async () => {
  const order = await shop.createOrder();
  const json = gatewayPaymentOf(order);
  const form = toFormData(json);
  const replies = await Promise.all(
    copies(30, (index) => shop.sendGateway(index % 2 === 0 ? json : form)),
  );
  assertOneEffect(replies);
  await assertOneNotice(order.order_id);
});

test('a repeat of an applied delivery answers 200 duplicate and changes nothing', async () => {
  const { order_id } = await shop.createOrder();
  const body = captureOf({ order_id });
  const first = await shop.sendPartner(body, { eventId: 'repeatedevent1' });
  const before = await dumpTables(service.database);
  const repeat = await shop.sendPartner(body, { eventId: 'repeatedevent1' });
  assertReceived(repeat, { status: 'duplicate', order_id });
  assert.equal(repeat.body.delivery_id, first.body.delivery_id);
  assert.deepEqual(await dumpTables(service.database), before);
});

test("a bearer caller's repeat of the gateway's delivery is the same delivery", async () => {
  const { order_id } = await shop.createOrder();
  const body = gatewayPaymentOf({ order_id });
  assertReceived(await shop.sendGateway(body), { status: 'processed', order_id });
  assertReceived(await shop.sendAsBearer('bank-gateway', body), { status: 'duplicate', order_id });
});

test('the same content under another event id is a duplicate', async () => {
  const { order_id } = await shop.createOrder();
  const body = captureOf({ order_id });
  assertReceived(await shop.sendPartner(body), { status: 'processed', order_id });
  const before = await shop.enquire({ order_id });
  assertReceived(await shop.sendPartner(body), { status: 'duplicate', order_id });
  assert.deepEqual((await shop.enquire({ order_id })).body, before.body);
});

test('a failure that comes after the success is stale', async () => {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const before = await shop.enquire({ order_id });
  const failure = partnerEvent('payment.failed', { payment }, { created_at: 1794700099 });
  assertReceived(await shop.sendPartner(failure), { status: 'stale', order_id });
  assert.deepEqual((await shop.enquire({ order_id })).body, before.body);
});

test('the same event id of two accounts or two providers is two deliveries', async () => {
  const other = shopOf(service, await service.createAccount());
  const eventId = 'sharedeventid1';
  const replies = [
    await shop.sendPartner(captureOf(await shop.createOrder()), { eventId }),
    await other.sendPartner(captureOf(await other.createOrder()), { eventId }),
    await shop.sendGateway(gatewayPaymentOf(await shop.createOrder()), { eventId }),
  ];
  assert.deepEqual(statusesOf(replies), ['processed', 'processed', 'processed']);
});

test('all events of one payment, sent concurrently, end in one transaction', async () => {
  const orders = await Promise.all(copies(8, () => shop.createOrder()));
  const events = orders.flatMap(({ order_id }) => {
    const payment = partnerPayment({
      notes: { svc_order_id: order_id },
      order_id: partnerId('order'),
    });
    const refund = partnerRefund(payment);
    return [
      partnerEvent('payment.failed', { payment }),
      partnerEvent('payment.authorized', { payment }),
      partnerEvent('payment.captured', { payment }),
      partnerEvent('order.paid', { payment, order: { id: payment.order_id, receipt: order_id } }),
      partnerEvent('refund.created', { refund: { ...refund, status: 'pending' }, payment }),
      partnerEvent('refund.processed', { refund, payment }),
    ];
  });
  const replies = await Promise.all(events.map((body) => shop.sendPartner(body)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  for (const { order_id } of orders) {
    const { body } = await shop.enquire({ order_id });
    assert.deepEqual(
      body.transaction.map((entry: Reply['body']) => entry.payment_status ?? entry.refund_status),
      ['succeeded', 'succeeded'],
    );
    assert.equal(body.order.status, 'completed');
  }
});

test('a delivery that was stored but not applied is applied by its repeat', async () => {
  const { order_id } = await shop.createOrder();
  const body = captureOf({ order_id });
  const eventId = 'crashbetween01';
  const mend = await refuseRows(service.database, 'transactions');
  const kept = await shop.sendPartner(body, { eventId });
  assertReceived(kept, { status: 'parked', message: /could not be applied/ });
  assert.equal((await shop.findDelivery(kept))?.state, 'received');
  assert.deepEqual((await shop.enquire({ order_id })).body.transaction, []);
  await mend();

  const repeat = await shop.sendPartner(body, { eventId });
  assertReceived(repeat, { status: 'processed', order_id });
  assert.equal(repeat.body.delivery_id, kept.body.delivery_id);
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
  assertReceived(await shop.sendPartner(body, { eventId }), { status: 'duplicate', order_id });
});

test('a delivery that was stored but not applied is applied by the sweep', async () => {
  const { order_id } = await shop.createOrder();
  const mend = await refuseRows(service.database, 'transactions');
  const kept = await shop.sendGateway(gatewayPaymentOf({ order_id }));
  assert.equal(kept.status, 200);
  assert.equal((await shop.findDelivery(kept))?.state, 'received');
  await mend();

  service.advanceSeconds(2);
  await sweep(service.services);

  const after = await shop.findDelivery(kept);
  assert.deepEqual([after?.state, after?.order_id], ['processed', order_id]);
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
});

test('repeats of a delivery that still cannot be applied answer 200 and name the stored one', async () => {
  const body = captureOf(await shop.createOrder());
  const mend = await refuseRows(service.database, 'transactions');
  const first = await shop.sendPartner(body, { eventId: 'stillbroken001' });
  const repeats = await Promise.all(
    copies(5, () => shop.sendPartner(body, { eventId: 'stillbroken001' })),
  );
  await mend();
  for (const { status, body } of repeats) {
    assert.deepEqual([status, body.status], [200, 'parked']);
    assert.equal(body.delivery_id, first.body.delivery_id);
  }
  // Each repeat may have been a try of its own, and the pause before the next one grows with each.
  service.advanceSeconds(retrySeconds[repeats.length] ?? 0);
  await sweep(service.services);
  assert.equal((await shop.findDelivery(first))?.state, 'processed');
});

test('a stored delivery that its repeat, the sweep and twenty copies apply concurrently has one effect', async () => {
  const order = await shop.createOrder();
  const body = captureOf(order);
  const eventId = 'manyhands00001';
  const mend = await refuseRows(service.database, 'transactions');
  await shop.sendPartner(body, { eventId });
  await mend();
  service.advanceSeconds(2);

  const [, ...replies] = await Promise.all([
    Promise.all([sweep(service.services), sweep(service.services)]),
    ...copies(20, () => shop.sendPartner(body, { eventId })),
  ]);

  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.ok(statusesOf(replies).filter((status) => status === 'processed').length <= 1);
  await assertOneNotice(order.order_id);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

function copies<Result>(count: number, make: (index: number) => Promise<Result>) {
  return Array.from({ length: count }, (_, index) => make(index));
}

function statusesOf(replies: readonly Reply[]): string[] {
  return replies.map(({ body }) => body.status).sort();
}

function assertOneEffect(replies: readonly Reply[]): void {
  const [last, ...others] = statusesOf(replies).reverse();
  assert.equal(last, 'processed');
  assert.deepEqual(others, Array(replies.length - 1).fill('duplicate'));
  assert.equal(new Set(replies.map(({ body }) => body.delivery_id)).size, 1);
}

async function assertOneNotice(orderId: string): Promise<void> {
  const count = async (text: string) =>
    (await service.database.query<{ count: number }>({ text, values: [orderId] })).rows[0]?.count;
  assert.deepEqual(
    {
      deliveries: await count('select count(*) from deliveries where order_id = $1'),
      transactions: await count('select count(*) from transactions where order_id = $1'),
      notices: await count(
        'select sum(json_array_length(notices)) as count from transactions where order_id = $1',
      ),
      history: await count('select count(*) from history where order_id = $1'),
    },
    { deliveries: 1, transactions: 1, notices: 1, history: 1 },
  );
}
