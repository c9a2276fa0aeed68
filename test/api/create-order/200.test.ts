import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount();

test('a complete order is answered with every member of the contract', async () => {
  const body = orderBody();
  const reply = await service.call('/api/v3/create-order', { token: account.token, body });

  assert.equal(reply.status, 200);
  const { order_id, order_date, user, token, refresh_token, ...rest } = reply.body;
  const { token_expiration, refresh_token_expiration, ...others } = rest;
  assert.match(order_id, /^o_[0-9A-Za-z]{16}$/);
  assert.match(order_date, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/);
  assert.match(token_expiration, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
  assert.match(refresh_token_expiration, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
  assert.equal(token.split('.').length, 3);
  assert.equal(refresh_token.split('.').length, 3);
  const { user_id, ...person } = user;
  assert.match(user_id, /^user_[0-9A-Za-z]{16}$/);
  assert.deepEqual(person, {
    email: 'asha@example.com',
    first_name: 'Asha',
    last_name: 'Rao',
    country_code: '+91',
    mobile_number: 9876543210,
  });
  assert.deepEqual(others, {
    status: 'new',
    invoice_id: body.invoice_id,
    attempts: 0,
    currency: 'INR',
    amount_before_tax: 100,
    tax: 18,
    total_amount: 118,
    next: [
      { action: 'payment_modes', url: '/api/v3/payment-modes' },
      { action: 'resolve_user', url: '/api/v3/resolve-user' },
      { action: 'update_order', url: '/api/v3/update-order' },
    ],
  });
});

test('the same invoice with the same content answers the same order, marked as replayed', async () => {
  const body = orderBody({ total_amount: '118.00', amount_before_tax: '100', tax: 18.0 });
  const first = await service.call('/api/v3/create-order', { token: account.token, body });
  const again = await service.call('/api/v3/create-order', {
    token: account.token,
    body: { ...body, total_amount: 118, amount_before_tax: 100, unknown_member: [1, 2] },
  });

  assert.equal(first.status, 200);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  assert.equal(again.status, 200);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.body.order_id, first.body.order_id);
});
