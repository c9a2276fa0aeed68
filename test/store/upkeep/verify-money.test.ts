/** Faults of the money that are planted into stored rows, past the code that would prevent them, and found by verify. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { captureOf, shopOf } from '../../api/webhooks/shop.ts';
import { partnerEvent, partnerPayment, partnerRefund } from '../../support/deliveries.ts';
import { startTestService } from '../../support/test-service.ts';

type Fields = Record<string, unknown>;

const service = await startTestService();
const { database, services } = service;
const shop = shopOf(service, await service.createAccount());
const { accountId } = shop.account;

test('nothing is found in what the service stored itself', async () => {
  await paidOrder();
  assert.deepEqual(await breachesOf(), []);
});

test('a refund that failed although a part of it was made', async () => {
  const orderId = await refundedOrder();
  await plant(orderId, 'refund', { status: 'failed' });
  assert.ok((await findingsOf(orderId)).includes('has failed, and a part of it was made'));
});

test('a discount of an order of the partner that nobody vouches for', async () => {
  const orderId = await paidOrder();
  const fields = { offerId: 'offer_1', offerDiscount: 11_700 };
  await plant(orderId, 'payment', { amount: 100 }, fields);
  assert.ok((await findingsOf(orderId)).includes('has a discount of an order that is not known'));
});

test('refunds that the provider counts, that are not known and not flagged', async () => {
  const orderId = await paidOrder({ amount_refunded: 5_000 });
  await plant(orderId, 'payment', { flags: [] });
  assert.ok(
    (await findingsOf(orderId)).includes('5000 were refunded, 0 are known, and it is not flagged'),
  );
});

test('a duplicate that moved to another payment, and two that count', async () => {
  // Of two payments of one second, the one with the lower id counts.
  const orderId = await paidOrder({ id: 'pay_00000000000000' });
  const again = { id: 'pay_zzzzzzzzzzzzzz', created_at: 1_794_800_000 };
  await shop.sendPartner(captureOf({ order_id: orderId }, again));
  const [first, second] = await transactionsOf(orderId);
  await plantFlags(first, ['duplicate_capture']);
  await plantFlags(second, []);
  assert.ok((await findingsOf(orderId)).includes('was a duplicate, and counts now'));
  await plantFlags(first, []);
  assert.ok((await findingsOf(orderId)).includes('has several payments that count'));
  await plantFlags(first, ['duplicate_capture']);
  await plantFlags(second, ['duplicate_capture']);
  assert.ok(
    (await findingsOf(orderId)).includes('has duplicates only, and no payment that counts'),
  );
});

async function paidOrder(payment: Fields = {}): Promise<string> {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf({ order_id }, payment));
  return order_id;
}

async function refundedOrder(): Promise<string> {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id }, amount_refunded: 1_800 });
  const refund = partnerRefund(payment, { amount: 1_800 });
  await shop.sendPartner(partnerEvent('refund.processed', { payment, refund }));
  return order_id;
}

async function plant(orderId: string, type: string, row: Fields, fields: Fields = {}) {
  const { status = null, amount = null, flags = null } = row;
  await database.query({
    text: `update transactions set status = coalesce($3, status), amount = coalesce($4, amount),
                  flags = coalesce($5, flags), fields = fields || $6::jsonb
            where account_id = $1 and order_id = $2 and type = $7`,
    values: [accountId, orderId, status, amount, flags, JSON.stringify(fields), type],
  });
}

async function plantFlags(transactionId: string | undefined, flags: readonly string[]) {
  await database.query({
    text: 'update transactions set flags = $3 where account_id = $1 and transaction_id = $2',
    values: [accountId, transactionId, flags],
  });
}

async function transactionsOf(orderId: string): Promise<string[]> {
  const { rows } = await database.query<{ transaction_id: string }>({
    text: `select transaction_id from transactions where account_id = $1 and order_id = $2
            order by recorded_at`,
    values: [accountId, orderId],
  });
  return rows.map((row) => row.transaction_id);
}

async function breachesOf() {
  return (await verifyInvariants(services)).breaches;
}

async function findingsOf(orderId: string): Promise<string[]> {
  const breaches = await breachesOf();
  return breaches.filter(({ where }) => where.startsWith(orderId)).map(({ what }) => what);
}
