import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findOrdersWithTransactions,
  type OrderQuestion,
} from '../../../src/store/orders/enquiry.ts';
import { captureOf, openShop } from '../../api/webhooks/shop.ts';

const shop = await openShop();

test('equal questions of a batch are asked once, and each is answered in its place', async () => {
  const first = await shop.createOrder();
  const second = await shop.createOrder();
  await shop.sendPartner(captureOf(first));
  const ask = (idName: OrderQuestion['idName'], id: string): OrderQuestion => ({
    accountId: shop.account.accountId,
    idName,
    id,
  });
  const answers = await findOrdersWithTransactions(shop.service.database, [
    ask('order_id', first.order_id),
    ask('order_id', 'o_0000000000000000'),
    ask('order_id', second.order_id),
    ask('order_id', first.order_id),
    ask('invoice_id', first.invoice_id),
    ask('invoice_id', first.order_id),
  ]);
  const found = answers.map((answer) => answer?.order.orderId);
  const { order_id } = first;
  assert.deepEqual(found, [order_id, undefined, second.order_id, order_id, order_id, undefined]);
  assert.equal(answers[0]?.transactions.length, 1);
  assert.equal(answers[3], answers[0]);
});
