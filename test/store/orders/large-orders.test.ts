import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paymentLimits } from '../../../src/domain/payments/limits.ts';
import {
  type LargeOrder,
  listAffectedTransactions,
} from '../../../src/store/orders/large-orders.ts';
import { captureOf, openShop } from '../../api/webhooks/shop.ts';

const shop = await openShop();
const { database } = shop.service;
const { accountId } = shop.account;

test('of several large orders, the counted payments and those with the names are listed once', async () => {
  const orders = [await openLarge('A'), await openLarge('B')];
  // Named too, and not wanted.
  await openLarge('C');
  const names = ['pay_A0', 'pay_A3', 'pay_B4', 'pay_C5', 'pay_none'].map((pspTransactionId) => ({
    accountId,
    provider: 'partner' as const,
    pspTransactionId,
  }));
  const listed = await database.transaction((tx) => listAffectedTransactions(tx, orders, names));
  const found = listed.map(({ orderId, transaction }) => [orderId, transaction.pspTransactionId]);
  const [a, b] = orders.map(({ orderId }) => orderId);
  assert.deepEqual(
    found.toSorted(([, first], [, second]) => (String(first) < String(second) ? -1 : 1)),
    [
      [a, 'pay_A0'],
      [a, 'pay_A3'],
      [b, 'pay_B0'],
      [b, 'pay_B4'],
    ],
  );
});

async function openLarge(name: string): Promise<LargeOrder> {
  const { order_id } = await shop.createOrder();
  for (let index = 0; index <= paymentLimits.transactionsLoadedMax; index += 1) {
    const changes = { id: `pay_${name}${index}`, created_at: 1_794_700_000 + index };
    await shop.sendPartner(captureOf({ order_id }, changes));
  }
  const { rows } = await database.query<Pick<LargeOrder, 'tally'>>({
    text: 'select tally from orders where order_id = $1',
    values: [order_id],
  });
  return { accountId, orderId: order_id, tally: rows[0]?.tally } as LargeOrder;
}
