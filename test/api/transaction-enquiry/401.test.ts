import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const { body: order } = await service.call('/api/v3/create-order', {
  token: account.token,
  body: orderBody(),
});
const path = '/api/v3/transaction-enquiry';
const body = { order_id: order.order_id };

test('an enquiry without a token is refused', async () => {
  assertRefused(await service.call(path, { body }), 'AUTHENTICATION_FAILED', /Authorization/);
});

test('an enquiry with an invalid token is refused', async () => {
  assertRefused(await service.call(path, { body, token: 'nonsense' }), 'INVALID_TOKEN');
});

test('a refresh token is refused', async () => {
  const reply = await service.call(path, { body, token: order.refresh_token });
  assertRefused(reply, 'INVALID_TOKEN', /refresh token/);
});

test("a provider's signature does not authorise an enquiry", async () => {
  const headers = {
    'x-notification-secret': account.bankGatewaySecret,
    'x-razorpay-signature': '0'.repeat(64),
  };
  const reply = await service.call(path, { body, headers });
  assertRefused(reply, 'AUTHENTICATION_FAILED', /Authorization/);
});

test('a caller is refused before the body is validated', async () => {
  const reply = await service.call(path, { body: '{' });
  assertRefused(reply, 'AUTHENTICATION_FAILED', /Authorization/);
});

test('an expired token is refused', async () => {
  service.advanceSeconds(21 * 60);
  for (const token of [account.token, order.token]) {
    assertRefused(await service.call(path, { body, token }), 'TOKEN_EXPIRED');
  }
});
