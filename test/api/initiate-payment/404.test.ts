import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { TestAccount } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const { service, shop, openShop } = await startJourney();
const stranger = await openShop();
const [one, two] = [await createOrder(shop), await createOrder(shop)];
const foreign = await createOrder(stranger);

const unknown: [name: string, orderId: string, token: string][] = [
  ['an unknown order', 'o_0000000000000000', shop.token],
  ["another account's order", foreign.order_id, shop.token],
  ['an invoice_id in place of an order_id', one.invoice_id, shop.token],
  ['SQL', "' or 1=1 --", shop.token],
  ["another order of the order token's account", two.order_id, one.token],
  ["another account's order, with an order token", foreign.order_id, one.token],
];
for (const [name, order_id, token] of unknown) {
  test(`${name} is not found, whatever the mode, and nothing changes`, async () => {
    const before = await dumpTables(service.database);
    for (const mode of [
      { payment_mode_code: 'credit_card' },
      { payment_mode_code: 'upi', upi_id: 'asha@okbank' },
    ]) {
      const body = { order_id, ...mode };
      const reply = await service.call('/api/v3/initiate-payment', { token, body });
      assertRefused(reply, 'ORDER_NOT_FOUND');
    }
    assert.deepEqual(await dumpTables(service.database), before);
  });
}

async function createOrder(
  owner: TestAccount,
): Promise<{ order_id: string; invoice_id: string; token: string }> {
  const body = orderBody();
  return (await service.call('/api/v3/create-order', { token: owner.token, body })).body;
}
