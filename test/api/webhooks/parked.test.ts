import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retrySeconds } from '../../../src/domain/inbox/retry-schedule.ts';
import { addSeconds } from '../../../src/domain/time.ts';
import { retryDue } from '../../../src/use-cases/inbox/retry-due.ts';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerId,
  partnerPayment,
  partnerRefund,
  toFormData,
} from '../../support/deliveries.ts';
import { refuseRows } from '../../support/refuse-rows.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertInvariants, assertReceived, openShop, shopOf } from './shop.ts';

const shop = await openShop();
const { service } = shop;
const parkedReply = { status: 'parked', message: /./ };

type Fields = Record<string, unknown>;

const namings: [name: string, send: (invoice: string) => Promise<Reply>][] = [
  [
    'notes.invoice_id',
    (invoice_id) => shop.sendPartner(event('payment.captured', { notes: { invoice_id } })),
  ],
  [
    "the refund's notes",
    (invoice_id) => {
      const payment = partnerPayment();
      const refund = partnerRefund(payment, { notes: { invoice_id } });
      return shop.sendPartner(partnerEvent('refund.processed', { refund, payment }));
    },
  ],
  [
    "the order's receipt",
    (receipt) => {
      const order = { id: partnerId('order'), receipt };
      const payment = partnerPayment({ order_id: order.id });
      return shop.sendPartner(partnerEvent('order.paid', { payment, order }));
    },
  ],
  ["the gateway's order.id", (id) => shop.sendGateway(gatewayBody({ order: { id } }))],
  [
    "the gateway's order.reference",
    (reference) => shop.sendGateway(gatewayBody({ order: { id: partnerId('order'), reference } })),
  ],
  [
    "the gateway's transaction.reference",
    (reference) =>
      shop.sendGateway(
        gatewayBody({ order: { id: partnerId('order') }, transaction: { reference } }),
      ),
  ],
  ['form data', (id) => shop.sendGateway(toFormData(gatewayBody({ order: { id } })))],
];
for (const [name, send] of namings) {
  test(`a delivery that names a future order by ${name} is parked and applied when the order is created`, async () => {
    const invoice_id = `COME-${partnerId('order')}`;
    const reply = await send(invoice_id);
    assertReceived(reply, parkedReply);
    assert.equal((await shop.findDelivery(reply))?.state, 'parked');

    const { order_id } = await shop.createOrder({ invoice_id });

    assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
    const applied = await shop.findDelivery(reply);
    assert.deepEqual(
      [applied?.state, applied?.order_id, applied?.next_try_at],
      ['processed', order_id, null],
    );
  });
}

test('a delivery that names only a partner order is applied when another delivery ties that order', async () => {
  const { order_id } = await shop.createOrder();
  const partnerOrder = partnerId('order');
  const parked = await shop.sendPartner(event('payment.captured', { order_id: partnerOrder }));
  assertReceived(parked, parkedReply);
  const tie = event('payment.failed', {
    order_id: partnerOrder,
    notes: { svc_order_id: order_id },
  });
  assertReceived(await shop.sendPartner(tie), { status: 'processed', order_id });
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
  const later = event('payment.failed', { order_id: partnerOrder });
  assertReceived(await shop.sendPartner(later), { status: 'processed', order_id });
});

test('refunds that arrive before their payment are applied with it, in any order', async () => {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  const early = ['rfnd_A', 'rfnd_B'].map((id, index) =>
    partnerEvent('refund.processed', {
      refund: partnerRefund(payment, {
        id: `${id}${partnerId('rfnd')}`,
        amount: 1000 * (index + 1),
      }),
    }),
  );
  for (const body of early) assertReceived(await shop.sendPartner(body), parkedReply);
  const capture = partnerEvent('payment.captured', { payment });
  assertReceived(await shop.sendPartner(capture), { status: 'processed', order_id });
  const { body } = await shop.enquire({ order_id });
  assert.equal(body.transaction.length, 3);
  assert.equal(body.order.refund_details.refunded_amount, 30);
});

test('a refund event with its payment is applied to an order that knows neither', async () => {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id }, status: 'refunded' });
  const refund = partnerRefund(payment);
  const body = partnerEvent('refund.processed', { refund, payment });
  assertReceived(await shop.sendPartner(body), { status: 'processed', order_id });
  const { transaction, order } = (await shop.enquire({ order_id })).body;
  assert.deepEqual(
    transaction.map((entry: Reply['body']) => entry.transaction_type),
    ['payment', 'full_refund'],
  );
  assert.equal(order.refund_details.available_refundable_amount, 0);
});

test("the gateway's refund before its payment waits for the order, then is applied with it", async () => {
  const invoice_id = `COME-${partnerId('order')}`;
  const refund = gatewayBody({
    order: { id: invoice_id, status: 'REFUNDED' },
    transaction: { id: '2', type: 'REFUND', targetTransactionId: '1' },
  });
  assertReceived(await shop.sendGateway(refund), parkedReply);
  assertReceived(await shop.sendGateway(gatewayBody({ order: { id: invoice_id } })), parkedReply);
  const { order_id } = await shop.createOrder({ invoice_id });
  const { body } = await shop.enquire({ order_id });
  assert.equal(body.transaction.length, 2);
  assert.equal(body.order.refund_details.refunded_amount, 118);
});

test('a delivery waits for an order of its own account only', async () => {
  const other = shopOf(service, await service.createAccount());
  const invoice_id = `COME-${partnerId('order')}`;
  const parked = await shop.sendPartner(event('payment.captured', { notes: { invoice_id } }));
  const theirs = await other.createOrder({ invoice_id });
  assert.equal((await shop.findDelivery(parked))?.state, 'parked');
  assert.deepEqual((await other.enquire({ order_id: theirs.order_id })).body.transaction, []);
});

test('a repeat of a parked delivery stays one delivery', async () => {
  const body = event('payment.captured', { notes: { invoice_id: 'never' } });
  const first = await shop.sendPartner(body, { eventId: 'parkedtwice001' });
  const repeat = await shop.sendPartner(body, { eventId: 'parkedtwice001' });
  assertReceived(repeat, parkedReply);
  assert.equal(repeat.body.delivery_id, first.body.delivery_id);
});

test('an order that is created while its delivery arrives is paid once both are answered', async () => {
  const invoices = Array.from({ length: 40 }, () => `RACE-${partnerId('order')}`);
  await Promise.all(
    invoices.flatMap((invoice_id) => [
      shop.createOrder({ invoice_id }),
      shop.sendPartner(event('payment.captured', { notes: { invoice_id } })),
    ]),
  );
  for (const invoice_id of invoices) {
    assert.equal((await shop.enquire({ invoice_id })).body.order.status, 'completed');
  }
});

test('copies of a parked delivery do not use up its retries', async () => {
  const payment = partnerPayment({ notes: { invoice_id: 'STORM-1' } });
  const event = partnerEvent('payment.captured', { payment });
  const replies = await Promise.all(
    Array.from({ length: 30 }, () => shop.sendPartner(event, { eventId: 'evtStorm1' })),
  );
  for (const { status, body } of replies) assert.deepEqual([status, body.status], [200, 'parked']);
  const { rows } = await service.database.query({
    text: `select state, tries from deliveries where event_id = 'evtStorm1'`,
  });
  assert.deepEqual(rows, [{ state: 'parked', tries: 1 }]);
  await shop.createOrder({ invoice_id: 'STORM-1' });
  const { body } = await shop.enquire({ invoice_id: 'STORM-1' });
  assert.equal(body.order.status, 'completed');
});

test('the next sweep finds a delivery whose order appeared unnoticed, even a dead one', async () => {
  for (const state of ['parked', 'dead'] as const) {
    const { order_id } = await parkUnnoticed(`UNNOTICED-${state}`, state);
    await sweep(service.services);
    assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
  }
});

test('a void is parked for its target, and what is known does not make it due', async () => {
  const invoice_id = `VOID-${partnerId('order')}`;
  const tell = (id: string, type: string, targetTransactionId?: string) => {
    const transaction = { id, type, ...(targetTransactionId && { targetTransactionId }) };
    return shop.sendGateway(gatewayBody({ order: { id: invoice_id }, transaction }));
  };
  const parked = await tell('3', 'VOID_CAPTURE', '1');
  assertReceived(parked, parkedReply);
  assert.ok((await referencesOf(parked)).includes(invoice_id), 'it waits for its order');

  await shop.createOrder({ invoice_id });
  const names = ['|', '|1|', '|3|'].map((end) => `${invoice_id}${end}`);
  assert.deepEqual(await referencesOf(parked), names);
  // The payment is its target, and has no capture yet that could be voided.
  await tell('1', 'AUTHORIZATION');
  assert.deepEqual(await referencesOf(parked), names);
  await postpone(parked);
  const before = await shop.findDelivery(parked);
  await sweep(service.services);
  await sweep(service.services);
  assert.deepEqual(await shop.findDelivery(parked), before);
  assert.equal(before?.tries, 1);

  await tell('2', 'CAPTURE', '1');
  assert.notEqual((await shop.findDelivery(parked))?.state, 'parked');
  assert.deepEqual(await referencesOf(parked), []);
});

test('a void that is parked together with its payment is applied when the order is created', async () => {
  // Parked deliveries are locked in the order of their digests, so the void is first in about half of these.
  for (let round = 0; round < 8; round += 1) {
    const invoice_id = `VOIDED-${partnerId('order')}`;
    const tell = (transaction: Fields) =>
      shop.sendGateway(gatewayBody({ order: { id: invoice_id }, transaction }));
    const parked = [
      await tell({ id: '2', type: 'VOID_PAYMENT', targetTransactionId: '1' }),
      await tell({ id: '1', type: 'PAYMENT' }),
    ];
    for (const reply of parked) assertReceived(reply, parkedReply);
    const { order_id } = await shop.createOrder({ invoice_id });
    const { transaction } = (await shop.enquire({ order_id })).body;
    assert.equal(transaction[0].payment_status, 'reversed');
    for (const reply of parked) assert.deepEqual(await referencesOf(reply), []);
  }
});

test('an order with very many parked deliveries is created without waiting for all of them', async () => {
  const invoice_id = `SAME-${partnerId('order')}`;
  const sent = await Promise.all(
    Array.from({ length: 150 }, () =>
      shop.sendPartner(event('payment.captured', { notes: { invoice_id } })),
    ),
  );
  // Only the order can make them due.
  for (const reply of sent) await postpone(reply);
  const countFinished = async () => {
    const ids = new Set(sent.map(({ body }) => body.delivery_id));
    const own = (await shop.listDeliveries()).filter(({ delivery_id }) => ids.has(delivery_id));
    return own.filter(({ state }) => state !== 'parked').length;
  };
  assert.equal(await countFinished(), 0);
  await shop.createOrder({ invoice_id });
  assert.equal(await countFinished(), 20);
  while ((await retryDue(service.services)) > 0);
  assert.equal(await countFinished(), sent.length);
});

test('a dead delivery whose order is known is tried once for it, and again only when the order changes', async () => {
  const { order_id, deliveryId } = await parkUnnoticed('KNOWN-DEAD', 'dead');
  const mend = await refuseRows(service.database, 'transactions');
  const triesAfterSweeps = async () => {
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweep(service.services);
    const { rows } = await service.database.query<{ state: string; tries: number }>({
      text: 'select state, tries from deliveries where delivery_id = $1',
      values: [deliveryId],
    });
    return rows[0];
  };
  assert.deepEqual(await triesAfterSweeps(), { state: 'dead', tries: 17 });
  service.advanceSeconds(600);
  assert.deepEqual(await triesAfterSweeps(), { state: 'dead', tries: 17 });
  await mend();
  // Another payment of the order is something new.
  await shop.sendPartner(event('payment.failed', { notes: { svc_order_id: order_id } }));
  await sweep(service.services);
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
});

test('a parked delivery that cannot be applied to its known order keeps its intervals', async () => {
  const { deliveryId } = await parkUnnoticed('KNOWN-PARKED', 'parked');
  const mend = await refuseRows(service.database, 'transactions');
  service.advanceSeconds(60);
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweep(service.services);
  const { rows } = await service.database.query<{ state: string; tries: number }>({
    text: 'select state, tries from deliveries where delivery_id = $1',
    values: [deliveryId],
  });
  assert.deepEqual(rows, [{ state: 'received', tries: 15 }]);
  await mend();
});

/** As if the process had been killed after creating the order and before unparking its delivery. */
async function parkUnnoticed(invoice_id: string, state: 'parked' | 'dead') {
  const { body } = await shop.sendPartner(event('payment.captured', { notes: { invoice_id } }));
  const deliveryId = String(body.delivery_id);
  const now = service.services.clock();
  await service.database.query({
    text:
      state === 'dead'
        ? `update deliveries set state = 'dead', tries = 16, next_try_at = null, finished_at = $2
            where delivery_id = $1`
        : `update deliveries set tries = 14, next_try_at = $2 where delivery_id = $1`,
    values: [deliveryId, state === 'dead' ? now : addSeconds(now, retrySeconds[13] ?? 0)],
  });
  const { order_id } = await shop.createOrder();
  await service.database.query({
    text: 'update orders set invoice_id = $2 where order_id = $1',
    values: [order_id, invoice_id],
  });
  return { order_id: String(order_id), deliveryId };
}

test('the invariants hold after all of this', () => assertInvariants(shop));

function event(name: string, payment: Fields): Fields {
  return partnerEvent(name, { payment: partnerPayment(payment) });
}

async function referencesOf({ body }: Reply): Promise<string[]> {
  const { rows } = await service.database.query<{ reference: string }>({
    text: 'select reference from delivery_references where delivery_id = $1 order by reference',
    values: [body.delivery_id],
  });
  return rows.map(({ reference }) => reference);
}

/** No try of it is due for an hour. */
async function postpone({ body }: Reply): Promise<void> {
  await service.database.query({
    text: 'update deliveries set next_try_at = $2 where delivery_id = $1',
    values: [body.delivery_id, addSeconds(service.services.clock(), 3600)],
  });
}
