import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consumerDataKeyOf, openBankAccount } from '../../../src/services/consumer-data-key.ts';
import { addressBody, fullOrderBody, orderBody } from '../../support/order-bodies.ts';
import { checkingAccounts } from '../../support/test-account.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { claimsOf, nextCalls, withoutTokens } from '../assertions.ts';
import { sendPlain } from '../raw-http.ts';

const service = await startTestService();
const account = await service.createAccount(checkingAccounts);

test('a complete order is answered with every field of the contract', async () => {
  const body = orderBody();
  const reply = await create(body);

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
    next: nextCalls,
  });
});

test('the tokens are for this order and live 20 minutes and 24 hours, as the reply says', async () => {
  const { body } = await create(orderBody());
  const expected = { iss: 'payment-order-service', sub: account.accountId };
  for (const [type, minutes] of [
    ['order', 20],
    ['refresh', 24 * 60],
  ] as const) {
    const token = type === 'order' ? body.token : body.refresh_token;
    const expiration = type === 'order' ? body.token_expiration : body.refresh_token_expiration;
    const { iat, exp, jti: _unique, ...claims } = claimsOf(token);
    assert.deepEqual(claims, { ...expected, token_type: type, order_id: body.order_id });
    assert.equal(Number(exp) - Number(iat), minutes * 60);
    assert.equal(Date.parse(`${expiration}Z`), Number(exp) * 1000);
  }
});

test('every field is stored as it was sent', async () => {
  const body = fullOrderBody();
  const reply = await create(body);

  assert.equal(reply.status, 200);
  const address = (tag: string) => ({
    address1: `12 ${tag} Lane`,
    street: 'MG Road',
    landmark: 'Opposite the clock tower',
    area: 'Indiranagar',
    city: 'Bengaluru',
    state: 'Karnataka',
    pincode: '560001',
    addressType: tag,
  });
  assert.deepEqual(await storedDetails(reply), {
    user: {
      email: 'asha@example.com',
      firstName: 'Asha',
      lastName: 'Rao',
      countryCode: '+91',
      mobileNumber: '9876543210',
    },
    shippingAddress: address('Home'),
    billingAddress: address('Office'),
    lineItems: [
      {
        skuId: 'TEA-1',
        title: 'Tea',
        description: 'First flush, 100 g',
        imageUrl: 'https://shop.example/tea.png',
        rate: 50,
        quantity: 2,
        amountBeforeTax: 100,
        tax: 18,
        totalAmount: 118,
      },
    ],
    bankAccount: { accountNumber: '00112233445566', name: 'Asha Rao', ifsc: 'HDFC0A1B2C3' },
    customAttributes: [
      ['campaign', 'diwali'],
      ['gift', 'yes'],
    ],
    callbackUrl: 'https://shop.example/return',
    callbackMode: 'redirect',
    description: 'Two packets of tea',
    validateOrderLineItem: true,
    referrerPlatform: 'shop-plugin',
    referrerPlatformVersion: '4.2.0',
    ipAddress: '203.0.113.7',
    merchantShopfrontDomain: 'https://shop.example',
  });
  const got = await service.call(`/api/v3/order?order_id=${reply.body.order_id}`, {
    token: account.token,
  });
  assert.deepEqual(got.body.order_line_items, body.order_line_items);
  assert.deepEqual(got.body.shipping_address, addressBody('Home'));
});

const amounts: [string, Record<string, unknown>, [before: number, tax: number, total: number]][] = [
  [
    'decimal strings',
    { amount_before_tax: '100.10', tax: '0.20', total_amount: '100.30' },
    [100.1, 0.2, 100.3],
  ],
  [
    'numbers no double adds up',
    { amount_before_tax: 0.1, tax: 0.2, total_amount: 0.3 },
    [0.1, 0.2, 0.3],
  ],
  ['a missing tax', { amount_before_tax: 118, tax: undefined }, [118, 0, 118]],
  ['a null tax', { amount_before_tax: 118, tax: null }, [118, 0, 118]],
  ['a missing amount before tax', { amount_before_tax: undefined, tax: '18.00' }, [100, 18, 118]],
  ['a total alone', { amount_before_tax: undefined, tax: undefined }, [118, 0, 118]],
  [
    'yen',
    { currency: 'JPY', amount_before_tax: 450, tax: '50.00', total_amount: '500.00' },
    [450, 50, 500],
  ],
  [
    'dinar',
    { currency: 'KWD', amount_before_tax: 1.005, tax: '0.001', total_amount: 1.006 },
    [1.005, 0.001, 1.006],
  ],
  [
    'four decimals',
    { currency: 'CLF', amount_before_tax: 1.0001, tax: 0.0002, total_amount: '1.0003' },
    [1.0001, 0.0002, 1.0003],
  ],
  [
    'the largest amount',
    { amount_before_tax: undefined, tax: '0.01', total_amount: '100000000000.00' },
    [99999999999.99, 0.01, 100000000000],
  ],
  [
    'exponents',
    { amount_before_tax: undefined, tax: undefined, total_amount: 1.18e2 },
    [118, 0, 118],
  ],
];
for (const [name, changes, [amount_before_tax, tax, total_amount]] of amounts) {
  test(`amounts are exact: ${name}`, async () => {
    const reply = await create(orderBody(changes));
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(pick(reply.body, ['currency', 'amount_before_tax', 'tax', 'total_amount']), {
      currency: changes.currency ?? 'INR',
      amount_before_tax,
      tax,
      total_amount,
    });
  });
}

test('an order in a currency with an alternate is processed in the other, and the reply has the original amounts', async () => {
  const converting = await service.createAccount({
    alternateCurrencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
  });
  const body = orderBody({
    currency: 'USD',
    amount_before_tax: 10.01,
    tax: '1.80',
    total_amount: 11.81,
  });
  const reply = await create(body, converting.token);

  assert.equal(reply.status, 200);
  const { order_id, order_date, user, ...rest } = withoutTokens(reply.body);
  // 11.81 x 83.25 = 983.1825 and 1.80 x 83.25 = 149.85, each to the paisa.
  assert.deepEqual(rest, {
    status: 'new',
    invoice_id: body.invoice_id,
    attempts: 0,
    currency: 'INR',
    amount_before_tax: 833.33,
    tax: 149.85,
    total_amount: 983.18,
    currency_conversion: {
      original_currency: 'USD',
      converted_currency: 'INR',
      exchange_rate: 83.25,
      conversion_reason: 'ALTERNATE_CURRENCY_CONFIG',
      original_amount_before_tax: 10.01,
      original_tax: 1.8,
      original_total_amount: 11.81,
    },
    next: nextCalls,
  });
});

test('an original tax that was not sent is shown as 0', async () => {
  const converting = await service.createAccount({
    alternateCurrencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
  });
  const changes = {
    currency: 'USD',
    amount_before_tax: undefined,
    tax: undefined,
    total_amount: 2,
  };
  const { body } = await create(orderBody(changes), converting.token);
  assert.equal(body.total_amount, 166.5);
  assert.equal(body.currency_conversion.original_tax, 0);
  assert.equal(body.currency_conversion.original_amount_before_tax, 2);
  const rupees = await create(orderBody(), converting.token);
  assert.equal('currency_conversion' in rupees.body, false);
});

test('an account with optional order details needs an invoice, a currency and a total only', async () => {
  const optional = await service.createAccount({ optionalOrderDetails: true });
  const bare = { invoice_id: 'bare-1', currency: 'INR', total_amount: 5 };
  const nulls = {
    invoice_id: 'bare-2',
    currency: 'INR',
    total_amount: 5,
    user: null,
    shipping_address: null,
    order_line_items: null,
    bank_account: null,
    custom_attributes: null,
    amount_before_tax: null,
    callback_url: null,
  };
  const empty = {
    invoice_id: 'bare-3',
    currency: 'INR',
    total_amount: 5,
    user: {},
    shipping_address: { city: '', pincode: null },
    billing_address: {},
    order_line_items: [],
  };
  const emptyFields = {
    ...empty,
    invoice_id: 'bare-4',
    user: { email: '', mobile_number: null },
    validate_order_line_item: true,
  };
  for (const body of [bare, nulls, empty, emptyFields]) {
    const reply = await create(body, optional.token);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(Object.keys(reply.body).sort(), [
      'amount_before_tax',
      'attempts',
      'currency',
      'invoice_id',
      'next',
      'order_date',
      'order_id',
      'refresh_token',
      'refresh_token_expiration',
      'status',
      'tax',
      'token',
      'token_expiration',
      'total_amount',
    ]);
  }
  const repeated = await create({ ...bare, invoice_id: 'bare-3' }, optional.token);
  assert.equal(repeated.headers.get('idempotent-replayed'), 'true', 'empty and absent are equal');
});

test('fields of the user that were not given are left out', async () => {
  const optional = await service.createAccount({ optionalOrderDetails: true });
  const { body } = await create(orderBody({ user: { first_name: 'Asha' } }), optional.token);
  assert.deepEqual(Object.keys(body.user).sort(), ['country_code', 'first_name', 'user_id']);
  assert.equal(body.user.country_code, '+91');
});

test('a numeric invoice_id becomes its text with all its digits', async () => {
  for (const [sent, expected] of [
    ['42', '42'],
    ['9007199254740993', '9007199254740993'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1000000000000000000000', '1000000000000000000000'],
  ] as const) {
    const text = JSON.stringify(orderBody({ invoice_id: 0 })).replace(
      '"invoice_id":0',
      `"invoice_id":${sent}`,
    );
    const reply = await create(text);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.equal(reply.body.invoice_id, expected);
  }
});

test('an invoice_id of 255 characters of any language is accepted', async () => {
  const invoice_id = `${'請'.repeat(253)}😀 `;
  const reply = await create(orderBody({ invoice_id }));
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(reply.body.invoice_id, invoice_id);
});

const contentTypes: (string | undefined)[] = [
  'application/json; charset=utf-8',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data',
  'application/xml',
  'x',
  ';;;',
  'a/b/c',
  '',
  undefined,
];
for (const contentType of contentTypes) {
  test(`the body is read as JSON under the Content-Type ${contentType ?? '(none)'}`, async () => {
    const reply = await sendPlain(`${service.baseUrl}/api/v3/create-order`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${account.token}`,
        ...(contentType !== undefined && { 'content-type': contentType }),
      },
      body: JSON.stringify(orderBody()),
    });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.equal(reply.body.status, 'new');
  });
}

test('unknown fields are ignored at every level', async () => {
  const body = orderBody();
  const reply = await create({
    ...body,
    error: { svc_error_code: 'X' },
    order_id: 'o_0000000000000000',
    status: 'completed',
    user: { ...(body.user as object), user_id: 'user_0000000000000000', admin: true },
    order_line_items: [{ title: 'Tea', rate: 1, quantity: 1, weight: { grams: 100 } }],
  });
  assert.equal(reply.status, 200);
  assert.equal(reply.body.status, 'new');
  assert.equal('error' in reply.body, false);
  assert.notEqual(reply.body.order_id, 'o_0000000000000000');
  assert.notEqual(reply.body.user.user_id, 'user_0000000000000000');
  assert.deepEqual((await storedDetails(reply)).lineItems, [
    { title: 'Tea', rate: 1, quantity: 1 },
  ]);
});

test('a consumer has one user_id within an account and another in each other account', async () => {
  const other = await service.createAccount();
  const user = { email: 'ravi@example.com', first_name: 'Ravi', mobile_number: '9811122233' };
  const idOf = async (changes: object, token?: string) =>
    (await create(orderBody({ user: { ...user, ...changes } }), token)).body.user.user_id;

  const userId = await idOf({});
  assert.equal(await idOf({ mobile_number: 9811122233, email: 'ravi@work.example' }), userId);
  assert.notEqual(await idOf({ mobile_number: '9811122234' }), userId);
  assert.notEqual(await idOf({ country_code: '+44' }), userId);
  assert.notEqual(await idOf({}, other.token), userId);
});

test('custom attributes are stored as text, whatever their names', async () => {
  const text = JSON.stringify(orderBody({ custom_attributes: 'HERE' })).replace(
    '"HERE"',
    '{"n":7,"d":1.50,"big":12345678901234567890,"yes":true,"no":false,"gone":null,"empty":"",' +
      '"__proto__":"p","constructor":"c","toString":"t","नाम":"आशा"}',
  );
  const reply = await create(text);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.deepEqual((await storedDetails(reply)).customAttributes, [
    ['n', '7'],
    ['d', '1.5'],
    ['big', '12345678901234567890'],
    ['yes', 'true'],
    ['no', 'false'],
    ['empty', ''],
    ['__proto__', 'p'],
    ['constructor', 'c'],
    ['toString', 't'],
    ['नाम', 'आशा'],
  ]);
  assert.equal(({} as Record<string, unknown>).p, undefined);
});

test('a card number in free text is masked before it is stored; a reference is left as it is', async () => {
  const card = '4111111111111111';
  const reply = await create(
    orderBody({
      invoice_id: card,
      description: `paid by ${card} once`,
      custom_attributes: { note: card },
    }),
  );
  assert.equal(reply.body.invoice_id, card);
  const { description, customAttributes } = await storedDetails(reply);
  assert.match(String(description), /^paid by 411111\D{6}1111 once$/);
  assert.match(JSON.stringify(customAttributes), /"411111\D{6}1111"/);
});

test('as much as the limits allow is accepted', async () => {
  const reply = await create(
    orderBody({
      description: 'd'.repeat(1024),
      custom_attributes: Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [`${index}`.padEnd(64, 'k'), 'v'.repeat(512)]),
      ),
      order_line_items: Array.from({ length: 500 }, () => ({
        title: 'Tea',
        rate: '0.236',
        quantity: '1',
        image_url: false,
      })),
      ...nest(15),
    }),
  );
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const details = await storedDetails(reply);
  assert.equal((details.lineItems as unknown[]).length, 500);
  assert.equal((details.customAttributes as unknown[]).length, 50);
});

test('items and a bank account may be sent the way shipped clients send them', async () => {
  const reply = await create(
    orderBody({
      order_line_items: [
        { sku_id: 17, title: 'Tea', image_url: false, quantity: '2', total_amount: '118.0' },
      ],
      bank_account: { account_number: 112233445566, name: '', ifsc: 'SBIN0001234' },
      shipping_address: { address_1: '', pincode: 560001 },
    }),
  );
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { lineItems, bankAccount, shippingAddress } = await storedDetails(reply);
  assert.deepEqual(lineItems, [
    { skuId: '17', title: 'Tea', imageUrl: false, quantity: '2', totalAmount: '118.0' },
  ]);
  assert.deepEqual(bankAccount, { accountNumber: '112233445566', ifsc: 'SBIN0001234' });
  assert.deepEqual(shippingAddress, { pincode: '560001' });
});

test('without validate_order_line_item the items need not add up', async () => {
  const items = [{ title: 'Tea', rate: 1, quantity: 3, amount_before_tax: 7, total_amount: 900 }];
  for (const validate_order_line_item of [false, undefined]) {
    const reply = await create(orderBody({ order_line_items: items, validate_order_line_item }));
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }
});

test('the same invoice with the same content answers the same order, marked as replayed', async () => {
  const body = orderBody({ total_amount: '118.00', amount_before_tax: '100', tax: 18.0 });
  const first = await create(body);
  const again = await create({
    ...body,
    total_amount: 118,
    amount_before_tax: 100,
    unknown_field: [1, 2],
  });

  assert.equal(first.status, 200);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  assert.equal(again.status, 200);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(withoutTokens(again.body), withoutTokens(first.body));
  assert.notEqual(again.body.token, first.body.token);
  assert.notEqual(again.body.refresh_token, first.body.refresh_token);
});

test('the order of fields and custom attributes does not change the content', async () => {
  const body = fullOrderBody();
  const first = await create(body);
  const again = await create(reverseFields(body) as Record<string, unknown>);
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(withoutTokens(again.body), withoutTokens(first.body));
});

test('absent, null and empty fields are the same content', async () => {
  const body = orderBody({ callback_url: undefined, bank_account: undefined });
  const first = await create(body);
  const again = await create({ ...body, callback_url: null, description: '', bank_account: null });
  assert.equal(again.headers.get('idempotent-replayed'), 'true', JSON.stringify(again.body));
  assert.equal(again.body.order_id, first.body.order_id);
});

test('x-request-id is echoed when it is safe and generated otherwise', async () => {
  const send = (id?: string) =>
    service.call('/api/v3/create-order', {
      token: account.token,
      body: orderBody(),
      headers: id === undefined ? {} : { 'x-request-id': id },
    });
  assert.equal((await send('cart-17.a_B')).headers.get('x-request-id'), 'cart-17.a_B');
  for (const id of [undefined, 'two words', 'x'.repeat(65), '<script>']) {
    assert.match((await send(id)).headers.get('x-request-id') ?? '', /^[0-9A-Za-z]{20}$/);
  }
});

/** Last in this file: it moves the clock. */
test('a replay gives fresh tokens and leaves the order as it was', async () => {
  const body = orderBody();
  const first = await create(body);
  service.advanceSeconds(15 * 60);
  const again = await create(body);

  assert.deepEqual(withoutTokens(again.body), withoutTokens(first.body));
  for (const name of ['token', 'refresh_token'] as const) {
    const moved = Number(claimsOf(again.body[name]).exp) - Number(claimsOf(first.body[name]).exp);
    assert.ok(moved >= 15 * 60 && moved < 15 * 60 + 30, `${name} moved by ${moved} s`);
  }
});

function create(body: Record<string, unknown> | string, token = account.token): Promise<Reply> {
  return service.call('/api/v3/create-order', { token, body });
}

/** The stored details with sealed values opened. */
async function storedDetails(reply: Reply): Promise<Record<string, unknown>> {
  const { rows } = await service.database.query<{ details: Record<string, unknown> }>({
    text: 'select details from orders where order_id = $1',
    values: [reply.body.order_id],
  });
  const details = rows[0]?.details ?? {};
  if (typeof details.bankAccount !== 'string') return details;
  const key = consumerDataKeyOf(await service.services.accounts.get(account.accountId));
  const bankAccount = openBankAccount(key, reply.body.order_id, details.bankAccount);
  return { ...details, bankAccount };
}

function pick(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

/** An unknown field of so many levels; the body around it is one more. */
function nest(levels: number): Record<string, unknown> {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return { nested: value };
}

function reverseFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseFields);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, reverseFields(field)]),
  );
}
