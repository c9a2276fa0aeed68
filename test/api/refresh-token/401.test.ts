import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const body = orderBody();
const { body: order } = await service.call('/api/v3/create-order', { token: account.token, body });

test('a token of another type is refused', async () => {
  for (const token of [account.token, order.token]) {
    assertRefused(await refresh(token), 'INVALID_TOKEN', /^refresh_token is a token of another/);
  }
});

test('a token that is not ours is refused', async () => {
  const [head, claims, signature] = order.refresh_token.split('.');
  for (const token of [
    'garbage',
    'a.b.c',
    '..',
    ' ',
    '😀',
    `${order.refresh_token}x`,
    `${head}.${claims}.`,
    `${head}.${claims}`,
    `${claims}.${head}.${signature}`,
    `Bearer ${order.refresh_token}`,
  ]) {
    assertRefused(await refresh(token), 'INVALID_TOKEN', /^refresh_token is not one of ours/);
  }
});

test('a refresh token of an order that does not exist is refused', async () => {
  const { accountId } = await service.createAccount();
  const { token } = await service.services.tokens.issue({
    type: 'refresh',
    accountId,
    orderId: order.order_id,
  });
  assertRefused(await refresh(token), 'TOKEN_EXPIRED', /new order/);
});

/** Last in this file: it moves the clock. */
test('24 hours after its order a refresh token is refused, even if it has not expired', async () => {
  service.advanceSeconds(12 * 3600);
  const { accountId } = account;
  const { token } = await issueMerchantToken(service.services, accountId);
  const replay = await service.call('/api/v3/create-order', { token, body });
  assert.equal((await refresh(replay.body.refresh_token)).status, 200);

  service.advanceSeconds(12 * 3600);
  assertRefused(await refresh(order.refresh_token), 'TOKEN_EXPIRED', /new order/);
  assertRefused(await refresh(replay.body.refresh_token), 'TOKEN_EXPIRED', /new order/);
});

function refresh(refresh_token: string): Promise<Reply> {
  return service.call('/api/v3/refresh-token', { body: { refresh_token } });
}
