import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import { updateAccount } from '../../../src/use-cases/accounts/update-account.ts';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import { addressBody, fullOrderBody, orderBody } from '../../support/order-bodies.ts';
import { checkingAccounts } from '../../support/test-account.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { claimsOf, fullParts, withoutTokens } from '../assertions.ts';
import { assertInvariants, openShop, shopOf } from '../webhooks/shop.ts';

const shop = await openShop(checkingAccounts);
const { service, account } = shop;
await updateAccount(
  service.services,
  account.accountId,
  () => ({
    callbackOrigins: ['https://shop.example'],
  }),
  commandLine,
);

const names = [
  ['POST', '/api/v3/update-order'],
  ['PUT', '/api/v3/update-order'],
  ['PATCH', '/api/v3/update-order'],
  ['PATCH', '/api/v3/order'],
] as const;
for (const [method, path] of names) {
  test(`${method} ${path} changes the fields that are sent and returns the whole order`, async () => {
    const body = fullOrderBody();
    const created = await create(body);
    const reply = await service.call(path, {
      method,
      token: account.token,
      body: { order_id: created.order_id, shipping_address: addressBody('Work') },
    });
    assertUpdated(reply, {
      ...withoutTokens(created),
      ...fullParts(body),
      shipping_address: addressBody('Work'),
    });
    const got = await service.call(`/api/v3/order?order_id=${created.order_id}`, {
      token: account.token,
    });
    assert.deepEqual(withoutTokens(got.body), withoutTokens(reply.body));
  });
}

/** The fields that are sent, and the field under which each is stored. */
const details: [name: string, value: unknown, kept: string, keptAs?: unknown][] = [
  ['shipping_address', { city: 'Pune', pincode: 411001 }, 'shippingAddress', pune()],
  ['billing_address', { city: 'Pune', pincode: '411001' }, 'billingAddress', pune()],
  ['custom_attributes', { gift: false, bag: 2 }, 'customAttributes', giftAndBag()],
  ['callback_url', 'https://shop.example/other', 'callbackUrl'],
  ['callback_mode', 'popup', 'callbackMode'],
  ['referrer_platform', 'another-plugin', 'referrerPlatform'],
  ['referrer_platform_version', '5.0', 'referrerPlatformVersion'],
  ['ip_address', '203.0.113.99', 'ipAddress'],
  ['merchant_shopfront_domain', 'https://other.example', 'merchantShopfrontDomain'],
  ['description', 'Something else', 'description'],
];
for (const [name, value, kept, keptAs = value] of details) {
  const byConsumer = ['shipping_address', 'billing_address', 'merchant_shopfront_domain'];
  const callers = byConsumer.includes(name) ? ['merchant', 'order'] : ['merchant'];
  test(`${name} is replaced as a whole, by ${callers.join(' or ')} token, and nothing else changes`, async () => {
    for (const by of callers) {
      const created = await create(fullOrderBody());
      const before = await rowOf(created.order_id);
      const token = by === 'merchant' ? account.token : created.token;
      const reply = await update({ order_id: created.order_id, [name]: value }, token);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.deepEqual(await rowOf(created.order_id), {
        ...before,
        token_changes: by === 'order' ? 1 : 0,
        details: { ...(before.details as object), [kept]: keptAs },
      });
    }
  });
}

test('fields of the consumer are merged into the stored ones', async () => {
  const created = await create(orderBody());
  const named = await update({ order_id: created.order_id, user: { last_name: 'Iyer' } });
  assert.deepEqual(named.body.user, { ...created.user, last_name: 'Iyer' });

  const mailed = await update({
    order_id: created.order_id,
    user: { email: 'new@example.com', first_name: '', mobile_number: null },
  });
  assert.deepEqual(mailed.body.user, { ...named.body.user, email: 'new@example.com' });
});

test('another mobile number means another consumer, the same for that number in every order', async () => {
  const [one, other] = [await create(), await create(withMobile('9000000001'))];
  const reply = await update({ order_id: one.order_id, user: { mobile_number: 9000000001 } });
  assert.deepEqual(reply.body.user, {
    ...one.user,
    mobile_number: 9000000001,
    user_id: other.user.user_id,
  });
  assert.notEqual(one.user.user_id, other.user.user_id);
});

test('an order without a consumer is given one', async () => {
  const optional = shopOf(
    service,
    await service.createAccount({ ...checkingAccounts, optionalOrderDetails: true }),
  );
  const { token } = optional.account;
  const bare = { invoice_id: 'bare', currency: 'INR', total_amount: 5 };
  const { body: created } = await service.call('/api/v3/create-order', { token, body: bare });

  const nameless = await update({ order_id: created.order_id, user: { first_name: 'A' } }, token);
  const { user_id } = nameless.body.user;
  assert.match(user_id, /^user_[0-9A-Za-z]{16}$/);
  assert.deepEqual(nameless.body.user, { first_name: 'A', country_code: '+91', user_id });

  const renamed = await update({ order_id: created.order_id, user: { first_name: 'B' } }, token);
  assert.deepEqual(renamed.body.user, { first_name: 'B', country_code: '+91', user_id });
});

test('absent, null and empty fields change nothing and add no history', async () => {
  const { order_id, token } = await create(fullOrderBody());
  const before = await dumpTables(service.database);
  const fields = [...details.map(([name]) => name), 'user', 'order_line_items', 'currency'];
  const amounts = ['amount_before_tax', 'tax', 'total_amount'];
  const empty = { user: {}, shipping_address: {}, billing_address: {}, custom_attributes: {} };
  for (const body of [
    {},
    Object.fromEntries([...fields, ...amounts].map((name) => [name, null])),
    { ...Object.fromEntries(amounts.map((name) => [name, ''])), description: '', currency: '' },
    { ...empty, order_line_items: [] },
    { user: { email: '', mobile_number: null }, shipping_address: { city: '', street: null } },
  ]) {
    for (const by of [account.token, token]) {
      assert.equal((await update({ order_id, ...body }, by)).status, 200, JSON.stringify(body));
    }
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('unchanged values change nothing and add no history', async () => {
  const body = fullOrderBody();
  const { order_id } = await create(body);
  const before = await dumpTables(service.database);
  assert.equal((await update({ ...body, order_id })).status, 200);
  assert.deepEqual(await dumpTables(service.database), before);
});

test('fields that an update does not accept are ignored', async () => {
  const body = fullOrderBody();
  const { order_id } = await create(body);
  const before = await rowOf(order_id);
  const reply = await update({
    order_id,
    invoice_id: 'another',
    status: 'completed',
    attempts: 7,
    restricted: true,
    bank_account: { account_number: '1' },
    validate_order_line_item: false,
    next: 4,
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.deepEqual(await rowOf(order_id), before);
});

test('amounts are sent as a set and validated as at creation', async () => {
  const cases: [sent: Record<string, unknown>, answered: [number, number, number]][] = [
    [{ total_amount: 200 }, [200, 0, 200]],
    [{ total_amount: '236.00', tax: '36' }, [200, 36, 236]],
    [{ total_amount: 10.5, tax: 0.5, amount_before_tax: 10 }, [10, 0.5, 10.5]],
    [{ total_amount: 118, tax: 18, currency: 'INR' }, [100, 18, 118]],
  ];
  const created = await create();
  for (const [sent, [amount_before_tax, tax, total_amount]] of cases) {
    const reply = await update({ order_id: created.order_id, ...sent });
    assertUpdated(reply, {
      ...withoutTokens(created),
      ...orderParts(),
      amount_before_tax,
      tax,
      total_amount,
    });
  }
});

test('amounts of a converted order are in the original currency, at the rate of its creation', async () => {
  const converting = await service.createAccount({
    alternateCurrencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
  });
  const { token, accountId } = converting;
  const created = await create(orderBody({ currency: 'USD' }), token);
  await updateAccount(
    service.services,
    accountId,
    () => ({
      alternateCurrencies: [{ from: 'USD', to: 'EUR', rate: '0.5', confirmedRate: '0.5' }],
    }),
    commandLine,
  );
  await until(async () => {
    const { currency } = await create(orderBody({ currency: 'USD' }), token);
    return currency === 'EUR';
  });
  const { order_id } = created;
  const reply = await update({ order_id, currency: 'USD', total_amount: 20, tax: 2.01 }, token);
  assertUpdated(reply, {
    ...withoutTokens(created),
    ...orderParts(),
    amount_before_tax: 1497.67,
    tax: 167.33,
    total_amount: 1665,
    currency_conversion: {
      ...created.currency_conversion,
      original_amount_before_tax: 17.99,
      original_tax: 2.01,
      original_total_amount: 20,
    },
  });
});

test('a new cart and its amounts are updated together and checked as the order requires', async () => {
  const created = await create(fullOrderBody());
  const order_line_items = [
    { title: 'Rice', rate: 10, quantity: 3, tax: 1.5 },
    { title: 'Salt', quantity: '1', total_amount: '8.50' },
  ];
  const reply = await update({
    order_id: created.order_id,
    order_line_items,
    tax: 1.5,
    total_amount: 40,
  });
  assertUpdated(reply, {
    ...withoutTokens(created),
    amount_before_tax: 38.5,
    tax: 1.5,
    total_amount: 40,
    ...fullParts(fullOrderBody()),
    order_line_items,
  });
});

test('the expected payment is that of the updated order', async () => {
  const order = await shop.createOrder();
  await update({ order_id: order.order_id, total_amount: 50 });
  const payment = partnerPayment({ amount: 5000, notes: { svc_order_id: order.order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const { body } = await shop.enquire({ order_id: order.order_id });
  assert.equal(body.order.status, 'completed');
});

test('details can be changed after an attempt, but amounts cannot', async () => {
  const order = await shop.createOrder();
  await fail(order.order_id);
  const reply = await update({ order_id: order.order_id, description: 'Second try' });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.deepEqual(
    [reply.body.status, reply.body.attempts, reply.body.total_amount],
    ['pending', 1, 118],
  );
});

test('an order token is answered with personal data masked', async () => {
  const created = await create();
  const reply = await update(
    { order_id: created.order_id, user: { email: 'ravi@example.com', first_name: 'Ravi' } },
    created.token,
  );
  assertUpdated(reply, {
    ...withoutTokens(created),
    ...orderParts(),
    shipping_address: { city: 'Bengaluru', pincode: '560001' },
    user: {
      email: 'r***i@example.com',
      first_name: 'R***',
      last_name: 'R***',
      country_code: '+91',
      mobile_number: '******3210',
      user_id: created.user.user_id,
    },
  });
});

test('a repeated create returns the updated order', async () => {
  const body = orderBody();
  const created = await create(body);
  const updated = await update({ order_id: created.order_id, total_amount: 7, description: 'x' });
  const replay = await service.call('/api/v3/create-order', { token: account.token, body });
  assert.equal(replay.status, 200);
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  const { order_line_items, shipping_address, description, ...order } = withoutTokens(updated.body);
  assert.deepEqual(withoutTokens(replay.body), order);
});

test('a change is one row of history with the old and new values', async () => {
  const order = await shop.createOrder({ description: 'Before' });
  const { order_id } = order;
  await update({ order_id, total_amount: 7, description: 'After', callback_mode: 'popup' });
  await update({ order_id, callback_mode: 'popup' });
  const [row, ...others] = await shop.listHistory(order);
  assert.deepEqual(others, []);
  assert.deepEqual([row?.transactionId, row?.cause], [null, 'update-order']);
  assert.deepEqual(
    row?.changes.toSorted((a, b) => (a.field < b.field ? -1 : 1)),
    [
      {
        field: 'amounts',
        from: { currency: 'INR', beforeTax: 10_000, tax: 1_800, total: 11_800 },
        to: { currency: 'INR', beforeTax: 700, tax: 0, total: 700 },
      },
      { field: 'callbackMode', from: null, to: 'popup' },
      { field: 'description', from: 'Before', to: 'After' },
    ],
  );
});

test('a card number in free text is masked before it is stored', async () => {
  const { order_id } = await create();
  await update({
    order_id,
    description: 'paid with 4111111111111111',
    custom_attributes: { note: '4111111111111111', invoice: '4111111111111111' },
    shipping_address: { landmark: '4111 or 4111111111111111' },
    user: { last_name: '4111111111111111' },
    order_line_items: [{ title: 'Card 4111111111111111', rate: 1, quantity: 1 }],
  });
  const text = JSON.stringify(await rowOf(order_id));
  assert.equal(text.match(/411111\*{6}1111/g)?.length, 6);
  assert.doesNotMatch(text, /4111111111111111/);
});

test('an update of a sealed body is answered sealed', async () => {
  const sealing = await service.createAccount({ encryptedPayloads: true });
  const { token, accessSecret } = sealing;
  const { order_id } = await create(orderBody(), token);
  const text = JSON.stringify({ order_id, total_amount: 9 });
  for (const [method, path] of names) {
    const reply = await service.call(path, {
      method,
      token,
      body: { encrypted_payload: sealPayload(text, accessSecret) },
    });
    assert.equal(reply.status, 200);
    assert.deepEqual(Object.keys(reply.body), ['encrypted_response']);
    const opened = openPayload(reply.body.encrypted_response, accessSecret);
    assert.equal(JSON.parse(String(opened)).total_amount, 9);
  }
});

test('an order whose consumer left details out can still be updated', async () => {
  const { order_id } = await create();
  await service.call('/api/v3/resolve-user', {
    token: account.token,
    body: { order_id, mobile_number: '9000000002' },
  });
  const reply = await update({ order_id, description: 'After resolve user' });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(claimsOf(reply.body.token).user_id, reply.body.user.user_id);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

function update(body: Record<string, unknown>, token = account.token): Promise<Reply> {
  return service.call('/api/v3/update-order', { token, body });
}

/** Asserts the whole reply: the order, and a new token that opens it. */
function assertUpdated(reply: Reply, expected: Record<string, unknown>): void {
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { token, token_expiration, ...order } = reply.body;
  assert.deepEqual(order, expected);
  const { exp, token_type, order_id } = claimsOf(token);
  assert.deepEqual([token_type, order_id], ['order', order.order_id]);
  assert.equal(Date.parse(`${token_expiration}Z`), Number(exp) * 1000);
}

async function create(body = orderBody(), token = account.token): Promise<Reply['body']> {
  const reply = await service.call('/api/v3/create-order', { token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** An attempt that failed. */
async function fail(orderId: string): Promise<void> {
  const payment = partnerPayment({ status: 'failed', notes: { svc_order_id: orderId } });
  await shop.sendPartner(partnerEvent('payment.failed', { payment }));
}

async function rowOf(orderId: string): Promise<Record<string, unknown>> {
  const { orders = [] } = await dumpTables(service.database);
  const rows = orders as Record<string, unknown>[];
  return rows.find(({ order_id }) => order_id === orderId) ?? {};
}

/** What the full view of an ordinary order adds. */
function orderParts(): Record<string, unknown> {
  const { order_line_items, shipping_address } = orderBody();
  return { order_line_items, shipping_address };
}

function withMobile(mobile_number: string): Record<string, unknown> {
  return orderBody({ user: { email: 'x@example.com', first_name: 'X', mobile_number } });
}

/** Settings are read again after at most a second. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 3_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < deadline, 'the new rate was not seen in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function pune() {
  return { city: 'Pune', pincode: '411001' };
}

function giftAndBag() {
  return [
    ['gift', 'false'],
    ['bag', '2'],
  ];
}
