/** A suspended account can make no calls, and its webhooks are still applied. Contract 2.8. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../src/domain/audit.ts';
import { resumeAccount, suspendAccount } from '../../src/use-cases/accounts/suspend-account.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { assertRefused } from './assertions.ts';
import { listRoutes, requestTo } from './routes.ts';
import { captureOf, gatewayPaymentOf, openShop, shopOf } from './webhooks/shop.ts';

const shop = await openShop();
const { service, account } = shop;

test('every call of a suspended account is refused, with a merchant token and with an order token', async () => {
  const order = await shop.createOrder();
  await suspend();
  for (const route of await listRoutes(service)) {
    if (route.isWebhook || !route.guarded) continue;
    for (const token of [account.token, order.token]) {
      const { target, method, body } = requestTo(route, { order_id: order.order_id });
      const reply = await service.call(target, { method, token, ...(body && { body }) });
      const isForMerchants = ['/create-order', '/payment-link', '/refund'].some((name) =>
        target.endsWith(name),
      );
      if (isForMerchants && token === order.token) assert.equal(reply.status, 403);
      else assertRefused(reply, 'ACCOUNT_SUSPENDED');
    }
  }
  const { refresh_token } = order as unknown as { refresh_token: string };
  const refreshed = await service.call('/api/v3/refresh-token', { body: { refresh_token } });
  assertRefused(refreshed, 'ACCOUNT_SUSPENDED');
  await resume();
  assert.equal((await shop.enquire({ order_id: order.order_id })).status, 200);
});

test('deliveries of the providers of a suspended account are stored and applied', async () => {
  const [first, second] = [await shop.createOrder(), await shop.createOrder()];
  await suspend();
  assert.equal((await shop.sendPartner(captureOf(first))).body.status, 'processed');
  assert.equal((await shop.sendGateway(gatewayPaymentOf(second))).body.status, 'processed');
  await resume();
  for (const { order_id } of [first, second]) {
    assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
  }
});

test('a bearer caller cannot deliver webhooks for a suspended account', async () => {
  const order = await shop.createOrder();
  await suspend();
  const reply = await shop.sendAsBearer('partner', captureOf(order));
  assert.equal(reply.status, 403, JSON.stringify(reply.body));
  assert.match(reply.body.message, /suspended/);
  await resume();
  assert.equal((await shop.enquire({ order_id: order.order_id })).body.order.status, 'new');
});

test('another account is not affected', async () => {
  await suspend();
  const other = shopOf(service, await service.createAccount());
  await other.createOrder();
  await resume();
});

test('suspending and resuming are in the audit log, once each however often they are repeated', async () => {
  const other = await service.createAccount();
  const { accountId } = other;
  const first = await suspendAccount(service.services, accountId, commandLine);
  const again = await suspendAccount(service.services, accountId, commandLine);
  assert.deepEqual(again.suspendedAt, first.suspendedAt);
  await resumeAccount(service.services, accountId, commandLine);
  await resumeAccount(service.services, accountId, commandLine);
  const { rows } = await service.database.query<{ action: string; actor: string }>({
    text: 'select action, actor from audit where account_id = $1 order by at, audit_id',
    values: [accountId],
  });
  assert.deepEqual(rows.map(({ action }) => action).sort(), [
    'account.created',
    'account.resumed',
    'account.suspended',
  ]);
  assert.deepEqual(new Set(rows.map(({ actor }) => actor)), new Set(['cli']));
});

async function suspend(): Promise<void> {
  await suspendAccount(service.services, account.accountId, commandLine);
  await waitUntil('it is seen', async () => (await probe()) === 403, 1.5);
}

async function resume(): Promise<void> {
  await resumeAccount(service.services, account.accountId, commandLine);
  await waitUntil('it is seen', async () => (await probe()) !== 403, 1.5);
}

async function probe(): Promise<number> {
  const { token } = account;
  return (await service.call('/api/v3/order?order_id=none', { token })).status;
}
