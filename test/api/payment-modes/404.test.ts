import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService, type TestAccount } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const [account, stranger] = [await service.createAccount(), await service.createAccount()];
const [one, two] = [await createOrder(account), await createOrder(account)];
const foreign = await createOrder(stranger);

const unknown: [name: string, orderId: string, token: string][] = [
  ['an unknown order', 'o_0000000000000000', account.token],
  ["another account's order", foreign.order_id, account.token],
  ['an invoice_id in place of an order_id', one.invoice_id, account.token],
  ['SQL', "' or 1=1 --", account.token],
  ["another order of the order token's account", two.order_id, one.token],
  ["another account's order, with an order token", foreign.order_id, one.token],
];
for (const [name, order_id, token] of unknown) {
  test(`${name} has no payment modes`, async () => {
    const reply = await service.call('/api/v3/payment-modes', { token, body: { order_id } });
    assertRefused(reply, 'ORDER_NOT_FOUND');
  });
}

async function createOrder(
  owner: TestAccount,
): Promise<{ order_id: string; invoice_id: string; token: string }> {
  const body = orderBody();
  return (await service.call('/api/v3/create-order', { token: owner.token, body })).body;
}
