import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertRefused, claimsOf, withoutTokens } from '../assertions.ts';
import { assertInvariants, openShop, shopOf } from '../webhooks/shop.ts';

const shop = await openShop();
const { service, account } = shop;
const asha = {
  email: 'asha@example.com',
  first_name: 'Asha',
  last_name: 'Rao',
  mobile_number: '9876543210',
};
const next = [{ action: 'payment_modes', url: '/api/v3/payment-modes' }];

test('a resolved consumer replaces the one of creation and takes over none of their details', async () => {
  const created = await create();
  const other = await create({ user: { ...asha, mobile_number: '9000000001' } });
  const reply = await resolve({ order_id: created.order_id, mobile_number: 9000000001 });
  const user = {
    country_code: '+91',
    mobile_number: 9000000001,
    user_id: other.user.user_id,
  };
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.deepEqual(reply.body, { user, next });
  assert.deepEqual(withoutTokens(await get(created.order_id)), {
    ...withoutTokens(created),
    user,
    order_line_items: orderBody().order_line_items,
    shipping_address: orderBody().shipping_address,
  });
});

test('all fields that are sent are stored', async () => {
  const { order_id } = await create();
  const { body } = await resolve({
    order_id,
    mobile_number: '4155550100',
    country_code: '1',
    email: 'sam@example.com',
    first_name: 'Sam',
    last_name: 'Lee',
    nothing: 'of interest',
  });
  const { user_id } = body.user;
  assert.match(user_id, /^user_[0-9A-Za-z]{16}$/);
  assert.deepEqual(body, {
    user: {
      email: 'sam@example.com',
      first_name: 'Sam',
      last_name: 'Lee',
      country_code: '+1',
      mobile_number: 4155550100,
      user_id,
    },
    next,
  });
});

test('the consumer of creation keeps details that are not sent again', async () => {
  const created = await create();
  for (const details of [{}, { email: null, first_name: '' }, { last_name: 'Iyer' }]) {
    const { order_id } = created;
    const reply = await resolve({ order_id, mobile_number: '9876543210', ...details });
    const last_name = 'last_name' in details ? 'Iyer' : 'Rao';
    assert.deepEqual(reply.body, { user: { ...created.user, last_name }, next });
  }
});

test('an order that had no consumer is linked too', async () => {
  const optional = await service.createAccount({ optionalOrderDetails: true });
  const { token } = optional;
  const bare = { invoice_id: 'bare', currency: 'INR', total_amount: 5 };
  const { body: created } = await service.call('/api/v3/create-order', { token, body: bare });
  const reply = await resolve({ order_id: created.order_id, mobile_number: '1234' }, token);
  const { user_id } = reply.body.user;
  const user = { country_code: '+91', mobile_number: 1234, user_id };
  assert.deepEqual(reply.body, { user, next });
});

test('an order token links its consumer, and sees them masked', async () => {
  const created = await create();
  const reply = await resolve(
    { order_id: created.order_id, mobile_number: '9000000003', email: 'ravi@example.com' },
    created.token,
  );
  const { user_id } = reply.body.user;
  const { token, token_expiration, ...others } = reply.body;
  assert.equal(claimsOf(token).user_id, user_id);
  assert.equal(token_expiration, created.token_expiration);
  assert.deepEqual(others, {
    user: {
      email: 'r***i@example.com',
      country_code: '+91',
      mobile_number: '******0003',
      user_id,
    },
    next,
  });
});

test('resolving the same consumer again returns the same reply and changes nothing', async () => {
  const { order_id } = await create();
  const first = await resolve({ order_id, mobile_number: '9000000004' });
  const before = await dumpTables(service.database);
  for (const mobile_number of [
    '9000000004',
    9000000004,
    '+91 (0) 90000-00004',
    '009190000.00004',
  ]) {
    const again = await resolve({ order_id, mobile_number, country_code: '+91' });
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, first.body);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('resolving the same consumer again may add details', async () => {
  const { order_id } = await create();
  await resolve({ order_id, mobile_number: '9000000005', email: 'a@example.com' });
  const { body } = await resolve({ order_id, mobile_number: '9000000005', first_name: 'A' });
  const { user_id } = body.user;
  assert.deepEqual(body.user, {
    email: 'a@example.com',
    first_name: 'A',
    country_code: '+91',
    mobile_number: 9000000005,
    user_id,
  });
});

test('every later order token has the user_id, and earlier tokens are refused', async () => {
  const body = orderBody();
  const { body: created } = await service.call('/api/v3/create-order', {
    token: account.token,
    body,
  });
  const { order_id } = created;
  assert.equal('user_id' in claimsOf(created.token), false, 'a consumer of creation binds nobody');
  assert.equal('user_id' in claimsOf((await get(order_id)).token), false);

  const resolved = await resolve({ order_id, mobile_number: '9000000006' }, created.token);
  const { user } = resolved.body;
  const replay = await service.call('/api/v3/create-order', { token: account.token, body });
  const refresh = await service.call('/api/v3/refresh-token', {
    body: { refresh_token: created.refresh_token },
  });
  const updated = await service.call('/api/v3/update-order', {
    token: resolved.body.token,
    body: { order_id, shipping_address: { city: 'Pune' } },
  });
  const later = [resolved.body, replay.body, refresh.body, updated.body, await get(order_id)];
  for (const { token } of later) {
    const { sub, token_type, ...claims } = claimsOf(token);
    assert.deepEqual(
      [sub, token_type, claims.order_id, claims.user_id],
      [account.accountId, 'order', order_id, user.user_id],
    );
    assert.equal((await get(order_id, token)).order_id, order_id);
  }
  const before = await service.call(`/api/v3/order?order_id=${order_id}`, { token: created.token });
  assertRefused(before, 'PERMISSION_DENIED', 'restricted to one consumer');
});

test('a card number in a name is masked before it is stored', async () => {
  const { order_id } = await create();
  const last_name = '4111111111111111';
  const { body } = await resolve({ order_id, mobile_number: '9000000008', last_name });
  assert.equal(body.user.last_name, '411111******1111');
  const tables = JSON.stringify(await dumpTables(service.database));
  assert.equal(tables.includes(last_name), false);
});

test('linking is one row of history', async () => {
  const order = await shop.createOrder({ user: asha });
  const { user_id } = (await get(order.order_id)).user;
  await resolve({ order_id: order.order_id, mobile_number: '9876543210' });
  await resolve({ order_id: order.order_id, mobile_number: '9876543210', last_name: 'Iyer' });
  const history = await shop.listHistory(order);
  assert.deepEqual(
    history.map(({ transactionId, cause, changes }) => ({ transactionId, cause, changes })),
    [
      {
        transactionId: null,
        cause: 'resolve-user',
        changes: [{ field: 'restricted', from: false, to: true }],
      },
      {
        transactionId: null,
        cause: 'resolve-user',
        changes: [
          {
            field: 'user',
            from: { email: 'a***a@example.com', firstName: 'A***', lastName: 'R***', ...number() },
            to: { email: 'a***a@example.com', firstName: 'A***', lastName: 'I***', ...number() },
          },
        ],
      },
    ],
  );
  assert.equal((await get(order.order_id)).user.user_id, user_id);
});

test('a consumer has a different id in each account', async () => {
  const stranger = shopOf(service, await service.createAccount());
  const [mine, theirs] = [await create(), await stranger.createOrder()];
  const mobile_number = '9000000007';
  const one = await resolve({ order_id: mine.order_id, mobile_number });
  const { token } = stranger.account;
  const two = await resolve({ order_id: theirs.order_id, mobile_number }, token);
  assert.notEqual(one.body.user.user_id, two.body.user.user_id);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

function number() {
  return { countryCode: '+91', mobileNumber: '******3210' };
}

function resolve(body: Record<string, unknown>, token = account.token): Promise<Reply> {
  return service.call('/api/v3/resolve-user', { token, body });
}

async function create(changes: Record<string, unknown> = {}): Promise<Reply['body']> {
  const body = orderBody(changes);
  return (await service.call('/api/v3/create-order', { token: account.token, body })).body;
}

async function get(orderId: string, token = account.token): Promise<Reply['body']> {
  return (await service.call(`/api/v3/order?order_id=${orderId}`, { token })).body;
}
