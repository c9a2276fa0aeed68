import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { paymentLimits } from '../../../src/domain/payments/limits.ts';
import { rebuildOrder } from '../../../src/use-cases/upkeep/rebuild-order.ts';
import { partnerEvent, partnerPayment, partnerRefund } from '../../support/deliveries.ts';
import { assertInvariants, captureOf, gatewayPaymentOf, openShop } from './shop.ts';

const shop = await openShop();
const { service } = shop;
const many = paymentLimits.transactionsLoadedMax + 15;

test('an order with many payments has the same state whether it is loaded in part or whole', async () => {
  const { order_id } = await shop.createOrder();
  // All in one second, so that every id but one moves to the next free second.
  const captures = Array.from({ length: many }, (_entry, index) =>
    captureOf({ order_id }, { id: `pay_A${index}`, created_at: 1_794_700_000 }),
  );
  await sendAll(captures);
  assert.equal((await tallyOf(order_id))?.succeeded, many);
  await sendAll([
    ...['A3', 'A4'].map((id) => refundOf(order_id, id)),
    failureOf(order_id, 'B1'),
    failureOf(order_id, 'B2'),
    // Of another provider, and known already.
    gatewayPaymentOf({ order_id }),
    captureOf({ order_id }, { id: 'pay_A5', created_at: 1_794_700_000, fee: 100 }),
  ]);
  const tally = await tallyOf(order_id);
  assert.deepEqual(
    [tally?.transactions, tally?.failed, tally?.succeeded, tally?.refunded],
    [many + 5, 2, many + 1, 2_000],
  );
  const { order, transaction } = (await shop.enquire({ order_id })).body;
  assert.equal(order.status, 'completed');
  assert.equal(new Set(transaction.map(idOf)).size, many + 5);
  assert.equal(await countDuplicates(order_id), many);
  await assertInvariants(shop);
});

test('a delivery that can change any transaction of a large order loads it whole', async () => {
  const { order_id } = await shop.createOrder();
  await sendAll(
    Array.from({ length: many }, (_entry, index) =>
      captureOf({ order_id }, { id: `pay_C${index}`, created_at: 1_794_700_000 + index }),
    ),
  );
  const counted = (await tallyOf(order_id))?.countedId;
  // The payment that counts turns out to be a smaller one. The others were announced as duplicates, and stay so.
  const notes = { svc_order_id: order_id };
  const smaller = partnerPayment({ id: 'pay_C0', amount: 5_000, created_at: 1_794_700_000, notes });
  const later = { created_at: 1_794_700_999 };
  await shop.sendPartner(partnerEvent('payment.captured', { payment: smaller }, later));
  assert.equal((await tallyOf(order_id))?.countedId, counted);
  assert.equal(await countDuplicates(order_id), many - 1);
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
  await assertInvariants(shop);
  // A capture makes the payments of the order depend on each other, so it has no tally any more.
  const capture = { id: '9', type: 'CAPTURE', amount: 118 };
  await shop.sendGateway(gatewayPaymentOf({ order_id }, { transaction: capture }));
  assert.equal(await tallyOf(order_id), null);
  await shop.sendPartner(captureOf({ order_id }, { id: 'pay_C99' }));
  assert.equal((await shop.enquire({ order_id })).body.transaction.length, many + 2);
  await assertInvariants(shop);
});

test('a delivery with a time of the last century does not delay one of today in the same batch', async () => {
  const { order_id } = await shop.createOrder();
  await sendAll(
    Array.from({ length: many }, (_entry, index) =>
      captureOf({ order_id }, { id: `pay_D${index}`, created_at: 1_794_700_000 + index }),
    ),
  );
  // A refund with its payment, both new: their times are a century apart in two-digit years.
  const notes = { svc_order_id: order_id };
  const payment = partnerPayment({ id: 'pay_D98', created_at: 0, notes });
  const refund = partnerRefund(payment, { id: 'rfnd_D98', amount: 1_000, notes });
  const reply = await shop.sendPartner(partnerEvent('refund.processed', { payment, refund }));
  assert.equal(reply.status, 200);
  const { transaction } = (await shop.enquire({ order_id })).body;
  const ids = transaction.map(idOf).map((id: string) => id.split('-')[1]);
  assert.ok(ids.includes('700101000000'));
  assert.equal(ids.length, many + 2);
  await assertInvariants(shop);
});

test('a wrong tally is found by verify and repaired by a rebuild', async () => {
  const { order_id } = await shop.createOrder();
  await sendAll(
    Array.from({ length: many }, (_entry, index) =>
      captureOf({ order_id }, { id: `pay_E${index}`, created_at: 1_794_700_000 + index }),
    ),
  );
  const right = await tallyOf(order_id);
  await service.database.query({
    text: `update orders set tally = jsonb_set(tally::jsonb, '{paid}', '1')::json where order_id = $1`,
    values: [order_id],
  });
  await assert.rejects(assertInvariants(shop), /its tally differs/);
  const { accountId } = shop.account;
  assert.equal(await rebuildOrder(service.services, accountId, order_id, commandLine), 'rebuilt');
  assert.deepEqual(await tallyOf(order_id), right);
  await assertInvariants(shop);
});

/** Eight at a time, so that they are stored in batches and by several connections. */
async function sendAll(bodies: readonly Record<string, unknown>[]): Promise<void> {
  const queue = [...bodies];
  const work = async () => {
    for (let body = queue.shift(); body; body = queue.shift()) {
      const reply = await ('event' in body ? shop.sendPartner(body) : shop.sendGateway(body));
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

function refundOf(order_id: string, id: string): Record<string, unknown> {
  const payment = { id: `pay_${id}` };
  const notes = { svc_order_id: order_id };
  return partnerEvent('refund.processed', {
    refund: partnerRefund(payment, { id: `rfnd_${id}`, amount: 1_000, notes }),
  });
}

function failureOf(order_id: string, id: string): Record<string, unknown> {
  const notes = { svc_order_id: order_id };
  const payment = partnerPayment({ id: `pay_${id}`, status: 'failed', captured: false, notes });
  return partnerEvent('payment.failed', { payment });
}

function idOf({ svc_transaction_id }: { svc_transaction_id: string }): string {
  return svc_transaction_id;
}

async function tallyOf(order_id: string): Promise<Record<string, unknown> | null> {
  const { rows } = await service.database.query<{ tally: Record<string, unknown> | null }>({
    text: 'select tally from orders where order_id = $1',
    values: [order_id],
  });
  return rows[0]?.tally ?? null;
}

async function countDuplicates(order_id: string): Promise<number> {
  const { rows } = await service.database.query<{ count: number }>({
    text: `select count(*)::int as count from transactions
            where order_id = $1 and 'duplicate_capture' = any(flags)`,
    values: [order_id],
  });
  return rows[0]?.count ?? 0;
}
