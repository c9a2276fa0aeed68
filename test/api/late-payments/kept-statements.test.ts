/** An account that keeps late payments pays nothing for the accounts that do not. Contract 19.3. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDatabaseProxy } from '../../support/database-proxy.ts';

const proxy = await startDatabaseProxy();
const { captureAt, openLateShop } = await import('./late-shop.ts');
const shop = await openLateShop({ latePayments: 'keep' });
const { services } = shop.service;

test('a late success costs the same statements as one in time', async () => {
  const rounds = [];
  // A connection prepares what it has not yet, and a slow machine has to read the account again: neither lasts.
  for (let round = 0; round < 6; round += 1) {
    const [order, other] = [await shop.createLapsed(), await shop.createLapsed()];
    const inTime = await send(captureAt(order, order.lapsedAt - 600));
    const late = await send(captureAt(other, other.lapsedAt + 10));
    assert.ok(late.includes('insert-deliveries'), late.join());
    assert.equal((await shop.outcomeOf(other.order_id)).order, 'completed');
    rounds.push({ inTime: inTime.join(), late: late.join() });
  }
  assert.ok(
    rounds.some(({ inTime, late }) => inTime === late),
    JSON.stringify(rounds),
  );
});

async function send(body: Record<string, unknown>): Promise<string[]> {
  await services.accounts.readNow(shop.account.accountId);
  proxy.takePassed();
  await shop.sendPartner(body);
  return proxy.takePassed();
}
