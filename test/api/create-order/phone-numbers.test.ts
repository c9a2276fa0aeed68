import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const asha = { email: 'asha@example.com', first_name: 'Asha' };

test('a consumer has one user_id however the number is written, and an equal order is the same order', async () => {
  const first = await create({ mobile_number: 9876543210 }, { invoice_id: 'PHONES-1' });
  const spellings = [
    { mobile_number: '9876543210', country_code: '+91' },
    { mobile_number: '098765 43210' },
    { mobile_number: '(98765) 432-10', country_code: '91' },
    { mobile_number: '+91 98765.43210' },
    { mobile_number: '0091-98765-43210', country_code: '0091' },
    { mobile_number: '+91 (0)98765 43210', country_code: 91 },
    { mobile_number: '＋９１９８７６５４３２１０' },
  ];
  for (const spelling of spellings) {
    const reply = await create(spelling, { invoice_id: 'PHONES-1' });
    const label = JSON.stringify(spelling);
    assert.equal(reply.status, 200, label);
    assert.equal(reply.headers.get('idempotent-replayed'), 'true', label);
    assert.equal(reply.body.order_id, first.body.order_id, label);
    assert.deepEqual(reply.body.user, {
      ...asha,
      country_code: '+91',
      mobile_number: 9876543210,
      user_id: first.body.user.user_id,
    });
    const { body } = await create(spelling);
    assert.equal(body.user.user_id, first.body.user.user_id, label);
    const resolved = await service.call('/api/v3/resolve-user', {
      token: account.token,
      body: { order_id: body.order_id, ...spelling },
    });
    assert.equal(resolved.body.user.user_id, first.body.user.user_id, label);
  }
});

test('an international number brings its own country code', async () => {
  const { body } = await create({ mobile_number: '+44 (0)7911 123456' });
  assert.equal(body.user.country_code, '+44');
  assert.equal(body.user.mobile_number, 7911123456);
});

test('an international number is not masked, though it may look like a card number', async () => {
  // 13 digits with the country code, and they pass the Luhn check.
  const sent = { mobile_number: '+4915112345678' };
  const { status, body } = await create(sent);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.user.mobile_number, 15112345678);
  const resolved = await service.call('/api/v3/resolve-user', {
    token: account.token,
    body: { order_id: body.order_id, ...sent },
  });
  assert.equal(resolved.body.user.mobile_number, 15112345678);
});

test('a number that contradicts the country code is refused, and the message names both codes', async () => {
  const reply = await create({ mobile_number: '+44 7911 123456', country_code: '91' });
  assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /^user\.mobile_number .*\+44.*\+91/);
});

test('an update reads a new number with the country code of the order', async () => {
  const { body: order } = await create({ mobile_number: '7911123456', country_code: '44' });
  const update = (user: object) =>
    service.call('/api/v3/update-order', {
      token: account.token,
      body: { order_id: order.order_id, user },
    });
  const same = await update({ mobile_number: '+44 7911 123456' });
  assert.deepEqual(same.body.user, order.user);
  const moved = await update({ mobile_number: '07911 999999' });
  assert.equal(moved.body.user.country_code, '+44');
  assert.equal(moved.body.user.mobile_number, 7911999999);
  const foreign = await update({ mobile_number: '+91 98765 43210' });
  assertRefused(foreign, 'INVALID_REQUEST_PARAMETER', /^user\.mobile_number .*\+91.*\+44/);
});

function create(phone: object, changes: object = {}): Promise<Reply> {
  const body = orderBody({ user: { ...asha, ...phone }, ...changes });
  return service.call('/api/v3/create-order', { token: account.token, body });
}
