import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const calls: string[] = [];
const { service, simulator, shop, createOrder, createPaid, initiate, pay, assertSound } =
  await startJourney({ beforeAnswer: async ({ id }) => void calls.push(id) });

test('a completed order accepts no payment', async () => {
  for (const mode of ['upi', 'credit_card'] as const) {
    const { orderId } = await createPaid({}, mode);
    await assertClosed(orderId, 'ORDER_COMPLETED');
  }
});

test('an order that lapsed after failed attempts accepts no payment', async () => {
  const orderId = await createOrder();
  const { next } = (await initiate(orderId)).body;
  assert.ok(next[0].url);
  for (let attempt = 1; attempt <= 15; attempt += 1) await pay(orderId, 'upi', 'decline');
  await simulator.settled();
  await assertClosed(orderId, 'ORDER_LAPSED');
});

test('the invariants hold after all of this', assertSound);

/** Last in this file: it moves the clock. */
test('an order accepts payments until it lapses, to the second', async () => {
  const orderId = await createOrder();
  service.advanceSeconds(24 * 3600 - 60);
  const inTime = await start(orderId, { payment_mode_code: 'credit_card' });
  assert.equal(inTime.status, 200, JSON.stringify(inTime.body));
  service.advanceSeconds(60);
  await assertClosed(orderId, 'ORDER_LAPSED');
});

/** With either token and for every mode; nothing is stored and no provider is called. */
async function assertClosed(
  orderId: string,
  code: 'ORDER_COMPLETED' | 'ORDER_LAPSED',
): Promise<void> {
  const before = [await dumpTables(service.database), calls.length];
  const { accountId } = shop;
  const order = await service.services.tokens.issue({ type: 'order', accountId, orderId });
  for (const token of [undefined, order.token]) {
    for (const fields of [
      { payment_mode_code: 'credit_card' },
      { payment_mode_code: 'upi', upi_id: 'asha@okbank' },
    ]) {
      assertRefused(await start(orderId, fields, token), code);
    }
  }
  assert.deepEqual([await dumpTables(service.database), calls.length], before);
}

/** Defaults to a new merchant token, because the clock may have been moved. */
async function start(orderId: string, fields: object, token?: string): Promise<Reply> {
  const { accountId } = shop;
  const merchant = await issueMerchantToken(service.services, accountId);
  return service.call('/api/v3/initiate-payment', {
    token: token ?? merchant.token,
    body: { order_id: orderId, ...fields },
  });
}
