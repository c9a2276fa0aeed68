import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

type Body = Record<string, unknown>;

const service = await startTestService();
const account = await service.createAccount();
const optional = await service.createAccount({ optionalOrderDetails: true });

const long = 'x'.repeat(1025);
const user = orderBody().user as Body;
const item = { title: 'Tea', rate: 50, quantity: 2 };
const withUser = (changes: Body): Body => ({ user: { ...user, ...changes } });
const withItem = (changes: Body): Body => ({ order_line_items: [item, { ...item, ...changes }] });
const validated = (order_line_items: Body[]): Body => ({
  validate_order_line_item: true,
  order_line_items,
});

/** A change to a valid body, and the field that the message names. */
const refusals: [changes: Body, named: string | RegExp][] = [
  [{ invoice_id: undefined }, 'invoice_id is missing'],
  [{ invoice_id: null }, /^invoice_id is missing: send it\.$/],
  [{ invoice_id: '' }, /^invoice_id is missing: send it\.$/],
  [{ invoice_id: true }, 'invoice_id'],
  [{ invoice_id: ['A'] }, 'invoice_id'],
  [{ invoice_id: 'x'.repeat(256) }, /invoice_id .* 255/],

  [{ currency: undefined }, 'currency is missing'],
  [{ currency: null }, 'currency'],
  [{ currency: 356 }, 'currency'],
  ...['', 'inr', 'RUPEE', 'IN', 'ZZZ', 'XXX', 'DEM', ' INR', '__proto__'].map(
    (currency): [Body, string] => [{ currency }, 'currency'],
  ),

  [{ total_amount: undefined }, 'total_amount is missing'],
  [{ total_amount: null }, 'total_amount'],
  [{ total_amount: '' }, 'total_amount'],
  ...[0, '0.00', -118, '-118', 118.001, '118.001', '1e2', '1,18', ' 118', '0x76', 'NaN'].map(
    (total_amount): [Body, string] => [{ total_amount }, 'total_amount'],
  ),
  ...['Infinity', '118.', '.5', '+118', '१', true, [118], { value: 118 }, '9'.repeat(65)].map(
    (total_amount): [Body, string] => [{ total_amount }, 'total_amount'],
  ),
  [{ total_amount: 119 }, 'total_amount'],
  [{ amount_before_tax: undefined, tax: 0, total_amount: '100000000000.01' }, 'total_amount'],
  [{ amount_before_tax: undefined, tax: 0, total_amount: 1e30 }, 'total_amount'],
  [{ currency: 'JPY', total_amount: 118.5 }, 'total_amount'],
  [{ currency: 'KWD', total_amount: 118.0001 }, 'total_amount'],
  [{ currency: 'CLF', total_amount: '118.00001' }, 'total_amount'],
  [{ tax: -1, total_amount: 99 }, 'tax'],
  [{ tax: 0.001 }, 'tax'],
  [{ tax: 'eighteen' }, 'tax'],
  [{ tax: false }, 'tax'],
  [{ tax: 119, amount_before_tax: undefined }, 'tax'],
  [{ amount_before_tax: -1, tax: 119 }, /amount_before_tax|tax/],
  [{ amount_before_tax: '100.000000000000000000001' }, 'amount_before_tax'],
  [{ amount_before_tax: {} }, 'amount_before_tax'],
  [{ amount_before_tax: 100.01 }, 'amount_before_tax'],

  [{ user: undefined }, 'user is missing'],
  [{ user: null }, 'user is missing'],
  [{ user: {} }, 'user is missing'],
  [{ user: { email: '', first_name: null } }, 'user is missing'],
  [{ user: [{}] }, 'user'],
  [{ user: 'Asha' }, 'user'],
  ...['email', 'first_name', 'mobile_number'].flatMap((name): [Body, string][] => [
    [withUser({ [name]: undefined }), `user.${name} is missing`],
    [withUser({ [name]: '' }), `user.${name} is missing`],
    [withUser({ [name]: null }), `user.${name} is missing`],
  ]),
  ...['email', 'first_name', 'last_name', 'country_code', 'mobile_number'].flatMap(
    (name): [Body, string][] => [
      [withUser({ [name]: long }), `user.${name}`],
      [withUser({ [name]: { a: 1 } }), `user.${name}`],
      [withUser({ [name]: true }), `user.${name}`],
    ],
  ),
  ...['asha', 'asha@', '@example.com', 'a sha@example.com', 'a@b@c', `${'x'.repeat(250)}@b.in`].map(
    (email): [Body, string] => [withUser({ email }), 'user.email'],
  ),
  ...['123', '1234567890123456', '98765/43210', '+44791', '98-7', -9876543210, 98765.5].map(
    (mobile_number): [Body, string] => [withUser({ mobile_number }), 'user.mobile_number'],
  ),
  ...['+', 'IN', '+12345', '9 1'].map((country_code): [Body, string] => [
    withUser({ country_code }),
    'user.country_code',
  ]),

  [{ shipping_address: undefined }, 'shipping_address is missing'],
  [{ shipping_address: null }, 'shipping_address is missing'],
  [{ shipping_address: {} }, 'shipping_address is missing'],
  [{ shipping_address: { city: '', state: null } }, 'shipping_address is missing'],
  [{ shipping_address: 'Bengaluru' }, 'shipping_address'],
  ...['shipping_address', 'billing_address'].flatMap((address) =>
    ['address_1', 'street', 'landmark', 'area', 'city', 'state', 'pincode', 'address_type'].flatMap(
      (name): [Body, string][] => [
        [{ [address]: { [name]: long } }, `${address}.${name}`],
        [{ [address]: { [name]: [] } }, `${address}.${name}`],
      ],
    ),
  ),
  [{ billing_address: [{}] }, 'billing_address'],

  [{ order_line_items: undefined }, 'order_line_items is missing'],
  [{ order_line_items: null }, 'order_line_items is missing'],
  [{ order_line_items: [] }, 'order_line_items is missing'],
  [{ order_line_items: {} }, 'order_line_items'],
  [{ order_line_items: [null] }, 'order_line_items[0]'],
  [{ order_line_items: Array.from({ length: 501 }, () => item) }, /order_line_items .* 500/],
  [withItem({ title: undefined }), 'order_line_items[1].title is missing'],
  [withItem({ title: '' }), 'order_line_items[1].title'],
  [withItem({ quantity: undefined }), 'order_line_items[1].quantity is missing'],
  ...[0, '0', '', -1, 'two', true, '1'.repeat(65)].map((quantity): [Body, string] => [
    withItem({ quantity }),
    'order_line_items[1].quantity',
  ]),
  [withItem({ rate: undefined }), 'order_line_items[1].rate'],
  [withItem({ image_url: true }), 'order_line_items[1].image_url'],
  ...['rate', 'amount_before_tax', 'tax', 'total_amount'].flatMap((name): [Body, string][] => [
    [withItem({ [name]: -1 }), `order_line_items[1].${name}`],
    [withItem({ [name]: 'cheap' }), `order_line_items[1].${name}`],
    [withItem({ [name]: [] }), `order_line_items[1].${name}`],
  ]),
  ...['sku_id', 'title', 'description', 'image_url'].flatMap((name): [Body, string][] => [
    [withItem({ [name]: long }), `order_line_items[1].${name}`],
    [withItem({ [name]: {} }), `order_line_items[1].${name}`],
  ]),

  [validated([{ ...item, tax: 17 }]), 'order_line_items'],
  [validated([{ ...item, tax: 18 }, item]), 'order_line_items'],
  [
    validated([{ ...item, tax: 18, amount_before_tax: 99 }]),
    'order_line_items[0].amount_before_tax',
  ],
  [validated([{ ...item, tax: 18, total_amount: 119 }]), 'order_line_items[0].total_amount'],
  [validated([{ ...item, tax: 18.001 }]), 'order_line_items[0].tax'],
  [validated([{ title: 'Tea', quantity: 1, total_amount: 118 }]), 'order_line_items'],
  [{ validate_order_line_item: 'yes' }, 'validate_order_line_item'],
  [{ validate_order_line_item: 1 }, 'validate_order_line_item'],

  [{ bank_account: 'SBIN0001234' }, 'bank_account'],
  ...['sbin0001234', 'SBIN1001234', 'SBIN000123', 'SBIN00012345', 'SBIN0001234\n', 7].map(
    (ifsc): [Body, string] => [{ bank_account: { ifsc } }, 'bank_account.ifsc'],
  ),
  ...['account_number', 'name'].flatMap((name): [Body, string][] => [
    [{ bank_account: { [name]: long } }, `bank_account.${name}`],
    [{ bank_account: { [name]: {} } }, `bank_account.${name}`],
  ]),

  [{ custom_attributes: [{}] }, 'custom_attributes'],
  [{ custom_attributes: 'a=b' }, 'custom_attributes'],
  [{ custom_attributes: { gift: {} } }, 'custom_attributes.gift'],
  [{ custom_attributes: { gift: ['yes'] } }, 'custom_attributes.gift'],
  [{ custom_attributes: { gift: 'x'.repeat(513) } }, /custom_attributes\.gift .* 512/],
  [{ custom_attributes: { ['k'.repeat(65)]: '1' } }, /custom_attributes.* 64/],
  [{ custom_attributes: { '': '1' } }, 'custom_attributes'],
  [
    { custom_attributes: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])) },
    /custom_attributes .* 50/,
  ],

  ...[
    'callback_url',
    'callback_mode',
    'description',
    'referrer_platform',
    'referrer_platform_version',
    'ip_address',
    'merchant_shopfront_domain',
  ].flatMap((name): [Body, string | RegExp][] => [
    [{ [name]: long }, new RegExp(`^${name} .* 1024`)],
    [{ [name]: 7 }, name],
    [{ [name]: {} }, name],
  ]),
];

test('every field that is missing, of a wrong type or out of range is named in the message', async () => {
  const before = await dumpTables(service.database);
  for (const [changes, named] of refusals) {
    const reply = await create(orderBody(changes));
    assert.equal(reply.status, 400, `${show(changes)}: ${show(reply.body)}`);
    try {
      assertRefused(reply, 'INVALID_REQUEST_PARAMETER', named);
    } catch (error) {
      throw new Error(`${show(changes)} should be told about ${named}`, { cause: error });
    }
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

const unreadable: [name: string, body: string | Uint8Array, told: RegExp][] = [
  ['an empty body', '', /JSON/],
  ['white space', ' \n', /JSON/],
  ['half an object', '{"invoice_id": "A"', /JSON/],
  ['two objects', '{}{}', /JSON/],
  ['single quotes', "{'invoice_id': 'A'}", /JSON/],
  ['a trailing comma', '{"invoice_id": "A",}', /JSON/],
  ['NaN', '{"total_amount": NaN}', /JSON/],
  ['form data', 'invoice_id=A&currency=INR', /JSON/],
  ['a raw control character', '{"invoice_id": "A\u0001"}', /JSON/],
  ['an array', '[]', /JSON object/],
  ['a text', '"text"', /JSON object/],
  ['a number', '7', /JSON object/],
  ['a long number', '12345678901234567890', /JSON object/],
  ['true', 'true', /JSON object/],
  ['null', 'null', /JSON object/],
  ['bad UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), /UTF-8/],
  ['a surrogate in UTF-8', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), /UTF-8/],
  ['a cut-off character', Uint8Array.of(0x22, 0xe2, 0x82), /UTF-8/],
  ['UTF-16', Buffer.from('{}', 'utf16le'), /JSON|UTF-8/],
];
for (const [name, body, told] of unreadable) {
  test(`${name} is refused as a body`, async () => {
    assertRefused(await create(body), 'INVALID_REQUEST_PARAMETER', told);
  });
}

test('a request without a body and a Content-Type is refused too', async () => {
  const reply = await service.call('/api/v3/create-order', {
    method: 'POST',
    token: account.token,
  });
  assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /JSON/);
});

test('seventeen levels of nesting are too many, wherever and however deep', async () => {
  for (const levels of [16, 17, 1_000, 100_000]) {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      if (open.length * levels > 200_000) continue;
      const nested = `${open.repeat(levels)}1${close.repeat(levels)}`;
      const body = JSON.stringify(orderBody({ extra: 'HERE' })).replace('"HERE"', nested);
      assertRefused(await create(body), 'INVALID_REQUEST_PARAMETER', /nested deeper than 16/);
    }
  }
  const braces = await create(orderBody({ description: '[{'.repeat(100) }));
  assert.equal(braces.status, 200, 'brackets inside a text are no nesting');
});

test('text that cannot be stored is refused in every field', async () => {
  const nul = 'a\u0000b';
  const half = 'a\ud800b';
  for (const bad of [nul, half]) {
    for (const changes of [
      { invoice_id: bad },
      { description: bad },
      { unknown: [{ deep: bad }] },
      { custom_attributes: { [bad]: '1' } },
      { custom_attributes: { key: bad } },
      withUser({ first_name: bad }),
      withItem({ title: bad }),
    ]) {
      const reply = await create(orderBody(changes));
      assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /u0000|surrogate/);
    }
  }
});

test('amounts written as JSON numbers are validated with all their digits', async () => {
  for (const [number, named] of [
    ['118.00100000000000000001', 'total_amount'],
    ['1e400', 'total_amount'],
    ['1e-400', 'total_amount'],
    ['-0.0', 'total_amount'],
    ['99999999999999999999999', 'total_amount'],
  ] as const) {
    const body = JSON.stringify(
      orderBody({ amount_before_tax: undefined, tax: undefined }),
    ).replace('"total_amount":118', `"total_amount":${number}`);
    assertRefused(await create(body), 'INVALID_REQUEST_PARAMETER', named);
  }
});

const howToDoWithout =
  'Or let the operator run "account update ACCOUNT_ID --optional-order-details": this setting makes user, shipping_address and order_line_items optional.';

test('one refusal names every field that is missing, and the setting that makes some optional', async () => {
  const user = 'A user needs email, first_name and mobile_number.';
  const missing: [body: Body, words: string][] = [
    [
      {},
      `invoice_id, currency, total_amount, user, shipping_address and order_line_items are missing: send them. ${user} ${howToDoWithout}`,
    ],
    [
      { ...orderBody(), user: {}, shipping_address: { city: '' }, order_line_items: [] },
      `user, shipping_address and order_line_items are missing: send them. ${user} ${howToDoWithout}`,
    ],
    [
      { ...orderBody(), total_amount: '', user: { mobile_number: '9876543210' } },
      `total_amount, user.email and user.first_name are missing: send them. ${howToDoWithout}`,
    ],
    [
      orderBody({ order_line_items: null }),
      `order_line_items is missing: send it. ${howToDoWithout}`,
    ],
  ];
  for (const [body, words] of missing) {
    const reply = await create(body);
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', words);
    assert.equal(reply.body.error.svc_merchant_message, words);
  }
  const bare = await create({}, optional.token);
  assertRefused(bare, 'INVALID_REQUEST_PARAMETER', 'invoice_id, currency and total_amount are');
  assert.ok(!bare.body.error.svc_merchant_message.includes('optional'));
});

test('details that an account may leave out must be valid when they are sent', async () => {
  for (const [changes, named] of [
    [withUser({ email: 'asha' }), 'user.email'],
    [withUser({ mobile_number: '12' }), 'user.mobile_number'],
    [{ total_amount: undefined }, 'total_amount'],
  ] as [Body, string][]) {
    assertRefused(
      await create(orderBody(changes), optional.token),
      'INVALID_REQUEST_PARAMETER',
      named,
    );
  }
});

test('a total too small or too large for the alternate currency is refused', async () => {
  const converting = await service.createAccount({
    alternateCurrencies: [
      { from: 'INR', to: 'JPY', rate: '0.001' },
      { from: 'USD', to: 'INR', rate: '83.25' },
    ],
  });
  const noTax = { amount_before_tax: undefined, tax: undefined };
  for (const changes of [
    { ...noTax, currency: 'INR', total_amount: 1 },
    { ...noTax, currency: 'USD', total_amount: '99999999999.99' },
  ]) {
    assertRefused(
      await create(orderBody(changes), converting.token),
      'INVALID_REQUEST_PARAMETER',
      'total_amount',
    );
  }
});

function create(body: Body | string | Uint8Array, token = account.token): Promise<Reply> {
  return service.call('/api/v3/create-order', { token, body });
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 300);
}
