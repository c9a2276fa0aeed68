import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AccountSettings, accountDefaults } from '../../../src/domain/accounts/account.ts';
import { ServiceError } from '../../../src/domain/errors.ts';
import { currencyCodes, getExponent } from '../../../src/domain/money/currency.ts';
import { formatAmount, majorNumber } from '../../../src/domain/money/money.ts';
import type {
  OrderDetails,
  SentDetails,
  SentUser,
  User,
} from '../../../src/domain/orders/order.ts';
import {
  decideAmounts,
  decideOrder,
  type OrderRequest,
} from '../../../src/domain/orders/order-request.ts';

const runs = { numRuns: 1_000 };
const strict: AccountSettings = { name: 'Tea shop', ...accountDefaults };
const optional: AccountSettings = { ...strict, optionalOrderDetails: true };

const currency = fc.constantFrom(...currencyCodes);
/** A tax and an amount before tax, in minor units, with a sum above 0. */
const parts = fc
  .tuple(fc.nat(1_000_000_000_000), fc.nat(1_000_000_000_000))
  .filter(([tax, beforeTax]) => tax + beforeTax > 0);

test('a complete request becomes an order with the amounts as sent', () => {
  const decided = decideOrder(request(), strict);
  assert.deepEqual(decided.amounts, {
    currency: 'INR',
    total: 11_800,
    tax: 1_800,
    beforeTax: 10_000,
  });
  assert.equal(decided.conversion, null);
});

test('each refusal names its field', () => {
  const cases: ReadonlyArray<readonly [field: string, changes: Partial<OrderRequest>]> = [
    ['currency', { currency: 'inr' }],
    ['currency', { currency: 'XXX' }],
    ['currency', { currency: '' }],
    ['total_amount', { totalAmount: undefined }],
    ['total_amount', { totalAmount: 'abc' }],
    ['total_amount', { totalAmount: -118 }],
    ['total_amount', { totalAmount: '118.001' }],
    ['total_amount', { totalAmount: '100000000000.01' }],
    ['total_amount', { totalAmount: 0 }],
    ['total_amount', { totalAmount: '0.00', tax: 0, amountBeforeTax: 0 }],
    ['total_amount', { totalAmount: Number.NaN }],
    ['tax', { tax: -1 }],
    ['tax', { tax: '18%' }],
    ['tax', { tax: 18.001 }],
    ['tax', { tax: 118.01 }],
    ['tax', { tax: 118.01, amountBeforeTax: undefined }],
    ['amount_before_tax', { amountBeforeTax: -100 }],
    ['amount_before_tax', { amountBeforeTax: '1e2' }],
    ['amount_before_tax', { amountBeforeTax: 100.001 }],
    ['total_amount', { amountBeforeTax: 99.99 }],
    ['total_amount', { amountBeforeTax: 100.01 }],
    ['total_amount', { tax: undefined }],
    ['user', details({ user: undefined })],
    ['user.email', userWith({ email: undefined })],
    ['user.first_name', userWith({ firstName: undefined })],
    ['user.mobile_number', userWith({ mobileNumber: undefined })],
    ['shipping_address', details({ shippingAddress: undefined })],
    ['order_line_items', details({ lineItems: undefined })],
    ['user.email', userWith({ email: 'asha' })],
    ['user.email', userWith({ email: 'asha@' })],
    ['user.email', userWith({ email: '@example.com' })],
    ['user.email', userWith({ email: 'asha rao@example.com' })],
    ['user.email', userWith({ email: 'asha@rao@example.com' })],
    ['user.mobile_number', userWith({ mobileNumber: '123' })],
    ['user.mobile_number', userWith({ mobileNumber: '1234567890123456' })],
    ['user.mobile_number', userWith({ mobileNumber: '+447911123456' })],
    ['user.mobile_number', userWith({ mobileNumber: '98765/43210' })],
    ['user.country_code', userWith({ countryCode: '+' })],
    ['user.country_code', userWith({ countryCode: '+12345' })],
    ['user.country_code', userWith({ countryCode: 'IN' })],
    ['order_line_items[0].quantity', details({ lineItems: [{ title: 'Tea', quantity: 0 }] })],
  ];
  for (const [field, changes] of cases) assertRefused(request(changes), strict, field);
});

test('of several wrong fields the missing ones are named together, then the first of the others', () => {
  const wrongest: OrderRequest = {
    invoiceId: '',
    currency: '',
    details: { user: { countryCode: 'IN', mobileNumber: '1' } },
  };
  const repairs: ReadonlyArray<
    readonly [named: string, repair: (was: OrderRequest) => OrderRequest]
  > = [
    [
      'invoice_id, currency, total_amount, user.email, user.first_name, shipping_address and order_line_items',
      (was) => ({ ...was, invoiceId: 'INV-1', currency: 'inr', totalAmount: 'x' }),
    ],
    [
      'user.email, user.first_name, shipping_address and order_line_items',
      (was) => withUser(was, { email: 'asha', firstName: 'Asha' }),
    ],
    [
      'shipping_address and order_line_items',
      (was) =>
        withDetails(was, {
          shippingAddress: { city: 'Pune' },
          lineItems: [{ title: 'Tea', quantity: 1 }],
        }),
    ],
    ['currency', (was) => ({ ...was, currency: 'INR', tax: 'x', amountBeforeTax: 'x' })],
    ['total_amount', (was) => ({ ...was, totalAmount: 0 })],
    ['total_amount', (was) => ({ ...was, totalAmount: 118 })],
    ['tax', (was) => ({ ...was, tax: 119 })],
    ['tax', (was) => ({ ...was, tax: 18 })],
    ['amount_before_tax', (was) => ({ ...was, amountBeforeTax: 99 })],
    ['total_amount', (was) => ({ ...was, amountBeforeTax: 100 })],
    ['user.email', (was) => withUser(was, { email: 'asha@example.com' })],
    ['user.mobile_number', (was) => withUser(was, { mobileNumber: '9876543210' })],
    ['user.country_code', (was) => withUser(was, { countryCode: '+91' })],
    [
      'order_line_items[0].rate',
      (was) => withDetails(was, { lineItems: [{ title: 'Tea', quantity: 1, rate: 1 }] }),
    ],
  ];

  let current = wrongest;
  for (const [named, repair] of repairs) {
    assertRefused(current, strict, named);
    current = repair(current);
  }
  assert.equal(decideOrder(current, strict).amounts.total, 11_800);
});

test('with optional order details, user, address and cart may be missing', () => {
  const bare: OrderRequest = { invoiceId: 'INV-1', currency: 'INR', totalAmount: 1, details: {} };
  assert.deepEqual(decideOrder(bare, optional).amounts, {
    currency: 'INR',
    total: 100,
    tax: 0,
    beforeTax: 100,
  });
  const nameless = withDetails(bare, { user: { countryCode: '+91' } });
  assert.equal(decideOrder(nameless, optional).amounts.total, 100);
  assertRefused(bare, strict, 'user, shipping_address and order_line_items');
});

test('with optional order details, given details must still be valid', () => {
  assertRefused(request(userWith({ email: 'asha' })), optional, 'user.email');
  assertRefused(request(userWith({ mobileNumber: '1' })), optional, 'user.mobile_number');
  assertRefused(request(userWith({ countryCode: 'IN' })), optional, 'user.country_code');
  assertRefused(request({ totalAmount: undefined }), optional, 'total_amount');
});

test('mobile numbers of 4 to 15 digits are accepted', () => {
  for (const mobileNumber of ['1234', '9876543210', '123456789012345']) {
    const { details } = decideOrder(request(userWith({ mobileNumber })), strict);
    assert.equal(details.user?.mobileNumber, mobileNumber);
  }
});

test('another spelling of the same phone number is the same content', () => {
  const spellings: readonly Partial<SentUser>[] = [
    { mobileNumber: 9876543210 },
    { mobileNumber: '098765 43210' },
    { mobileNumber: '+91 98765-43210', countryCode: undefined },
    { mobileNumber: '0091 98765 43210', countryCode: '0091' },
    { countryCode: '91' },
    { countryCode: undefined },
  ];
  for (const spelling of spellings) {
    const { content, details } = decideOrder(request(userWith(spelling)), strict);
    assert.equal(content, contentOf(request()), JSON.stringify(spelling));
    assert.deepEqual(details.user, request().details.user);
  }
});

test('amounts that add up are read exactly, as text or as numbers, in every currency', () => {
  fc.assert(
    fc.property(currency, parts, fc.boolean(), (code, [tax, beforeTax], asText) => {
      const write = asText ? formatAmount : majorNumber;
      const exponent = getExponent(code);
      const amounts = decideAmounts({
        currency: code,
        amountBeforeTax: write(beforeTax, exponent),
        tax: write(tax, exponent),
        totalAmount: write(tax + beforeTax, exponent),
      });
      assert.deepEqual(amounts, { currency: code, tax, beforeTax, total: tax + beforeTax });
    }),
    runs,
  );
});

test('amounts that do not add up are refused, and total_amount is named', () => {
  const offBy = fc.oneof(fc.constantFrom(1, -1), fc.integer({ min: -1_000_000, max: 1_000_000 }));
  fc.assert(
    fc.property(currency, parts, offBy, (code, [tax, beforeTax], off) => {
      const wrong = beforeTax + off;
      fc.pre(off !== 0 && wrong >= 0);
      const exponent = getExponent(code);
      assert.throws(
        () =>
          decideAmounts({
            currency: code,
            amountBeforeTax: formatAmount(wrong, exponent),
            tax: formatAmount(tax, exponent),
            totalAmount: formatAmount(tax + beforeTax, exponent),
          }),
        refusalOf('total_amount'),
      );
    }),
    runs,
  );
});

test('a missing tax is 0, and a missing amount before tax is the total less the tax', () => {
  fc.assert(
    fc.property(currency, parts, (code, [tax, beforeTax]) => {
      const exponent = getExponent(code);
      const total = tax + beforeTax;
      const totalAmount = formatAmount(total, exponent);
      assert.deepEqual(decideAmounts({ currency: code, totalAmount }), {
        currency: code,
        total,
        tax: 0,
        beforeTax: total,
      });
      assert.deepEqual(
        decideAmounts({ currency: code, totalAmount, amountBeforeTax: totalAmount }),
        {
          currency: code,
          total,
          tax: 0,
          beforeTax: total,
        },
      );
      assert.deepEqual(
        decideAmounts({ currency: code, totalAmount, tax: formatAmount(tax, exponent) }),
        { currency: code, total, tax, beforeTax },
      );
    }),
    runs,
  );
});

test('amounts add up exactly where floating point would not', () => {
  const amounts = decideAmounts({
    currency: 'INR',
    amountBeforeTax: 0.1,
    tax: 0.2,
    totalAmount: 0.3,
  });
  assert.deepEqual(amounts, { currency: 'INR', beforeTax: 10, tax: 20, total: 30 });
});

test('different spellings of the same numbers are the same content', () => {
  const sameTotals: ReadonlyArray<Partial<OrderRequest>> = [
    { totalAmount: '118' },
    { totalAmount: '118.00' },
    { totalAmount: '118.000', tax: '18.0', amountBeforeTax: '100.0000' },
    { tax: 18.0, amountBeforeTax: 1e2 },
    { amountBeforeTax: undefined },
  ];
  for (const changes of sameTotals) assert.equal(contentOf(request(changes)), contentOf(request()));

  const tea = { title: 'Tea', quantity: 1 };
  const written = [10.5, '10.5', '10.50', '10.500', '010.5'].map((rate) =>
    contentOf(request(details({ lineItems: [{ ...tea, rate }] }))),
  );
  assert.deepEqual(new Set(written).size, 1);
});

test('a missing tax is the same content as a tax of 0', () => {
  const without = request({ tax: undefined, amountBeforeTax: undefined });
  const zero = request({ tax: '0.00', amountBeforeTax: 118 });
  assert.equal(contentOf(without), contentOf(zero));
});

test('the order of attributes does not change the content', () => {
  const pairs = fc.uniqueArray(fc.tuple(fc.string(), fc.string()), {
    selector: ([key]) => key,
    maxLength: 10,
  });
  const shuffled = pairs.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, ([customAttributes, others]) => {
      const first = request(details({ customAttributes }));
      const second = request(details({ customAttributes: others }));
      assert.equal(contentOf(second), contentOf(first));
    }),
    runs,
  );
});

test('a field set to undefined is the same content as one left out', () => {
  const left = request();
  const set = withDetails(left, {
    billingAddress: undefined,
    description: undefined,
    user: { ...(left.details.user as User), lastName: undefined },
  } as OrderDetails);
  assert.equal(contentOf(set), contentOf(left));
});

test('any changed field is different content', () => {
  const item = { title: 'Tea', rate: 50, quantity: 2 };
  const changed: ReadonlyArray<Partial<OrderRequest>> = [
    { invoiceId: 'INV-2' },
    { lapsesAt: new Date('2026-12-01T00:00:00Z') },
    { lapsesAt: new Date('2026-12-01T00:00:00.001Z') },
    { currency: 'USD' },
    { totalAmount: 118.01, amountBeforeTax: 100.01 },
    { tax: 17, amountBeforeTax: 101 },
    userWith({ email: 'asha.rao@example.com' }),
    userWith({ firstName: 'Usha' }),
    userWith({ lastName: 'Rao' }),
    userWith({ countryCode: '+1' }),
    userWith({ mobileNumber: '9876543211' }),
    ...['address1', 'street', 'landmark', 'area', 'state', 'pincode', 'addressType'].map((name) =>
      details({ shippingAddress: { city: 'Pune', [name]: 'x' } }),
    ),
    details({ shippingAddress: { city: 'Mumbai' } }),
    details({ shippingAddress: { area: 'Pune' } }),
    details({ billingAddress: { city: 'Pune' } }),
    details({ billingAddress: { city: 'Mumbai' } }),
    details({ lineItems: [item, item] }),
    details({ lineItems: [{ ...item, title: 'Chai' }] }),
    details({ lineItems: [{ ...item, skuId: 'TEA-1' }] }),
    details({ lineItems: [{ ...item, description: 'TEA-1' }] }),
    details({ lineItems: [{ ...item, imageUrl: 'TEA-1' }] }),
    details({ lineItems: [{ ...item, imageUrl: false }] }),
    details({ lineItems: [{ ...item, rate: 50.5 }] }),
    details({ lineItems: [{ ...item, quantity: 3 }] }),
    details({ lineItems: [{ ...item, amountBeforeTax: 100 }] }),
    details({ lineItems: [{ ...item, tax: 100 }] }),
    details({ lineItems: [{ ...item, totalAmount: 100 }] }),
    details({ bankAccount: { accountNumber: 'x' } }),
    details({ bankAccount: { name: 'x' } }),
    details({ bankAccount: { ifsc: 'HDFC0000001' } }),
    details({ customAttributes: [['a', 'b']] }),
    details({ customAttributes: [['b', 'a']] }),
    details({
      customAttributes: [
        ['a', 'b'],
        ['b', 'a'],
      ],
    }),
    details({ callbackUrl: 'x' }),
    details({ callbackMode: 'x' }),
    details({ description: 'x' }),
    details({ referrerPlatform: 'x' }),
    details({ referrerPlatformVersion: 'x' }),
    details({ ipAddress: 'x' }),
    details({ merchantShopfrontDomain: 'x' }),
    details({ lineItems: [{ ...item, tax: 18 }] }),
    details({ lineItems: [{ ...item, tax: 18 }], validateOrderLineItem: true }),
  ];
  const contents = [request(), ...changed.map((changes) => request(changes))].map(contentOf);
  for (const [index, content] of contents.entries()) {
    assert.equal(contents.indexOf(content), index, `change ${index} is the content of another`);
  }
});

test('the same text in another field is different content', () => {
  const text = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(fc.tuple(text, text, text), fc.tuple(text, text, text), (one, other) => {
      const same = one.every((value, index) => value === other[index]);
      assert.equal(contentOf(described(one)) === contentOf(described(other)), same);
    }),
    runs,
  );
});

test('an alternate currency converts total and tax, and keeps the original', () => {
  const decided = decideOrder(request({ currency: 'USD' }), converting('USD', 'INR', '83.25'));
  assert.deepEqual(decided.amounts, {
    currency: 'INR',
    total: 982_350,
    tax: 149_850,
    beforeTax: 832_500,
  });
  assert.deepEqual(decided.conversion, {
    original: { currency: 'USD', total: 11_800, tax: 1_800, beforeTax: 10_000 },
    rate: '83.25',
  });
});

test('only orders in the configured currency are converted', () => {
  const settings = converting('USD', 'INR', '83.25');
  assert.equal(decideOrder(request({ currency: 'INR' }), settings).conversion, null);
  assert.equal(decideOrder(request({ currency: 'EUR' }), settings).conversion, null);
});

test('converted amounts round half up, and the amount before tax is their difference', () => {
  const rate = fc
    .tuple(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 0, max: 6 }))
    .map(([digits, scale]) => formatAmount(digits, scale));
  fc.assert(
    fc.property(
      currency,
      currency,
      rate,
      fc.nat(1_000_000),
      fc.nat(1_000_000),
      (from: string, to: string, by: string, tax: number, beforeTax: number) => {
        fc.pre(from !== to);
        const total = roundedHalfUp(tax + beforeTax, by, getExponent(from), getExponent(to));
        fc.pre(total > 0n && total <= 10_000_000_000_000n);
        const { amounts, conversion } = decideOrder(
          request({
            currency: from,
            totalAmount: formatAmount(tax + beforeTax, getExponent(from)),
            tax: formatAmount(tax, getExponent(from)),
            amountBeforeTax: undefined,
          }),
          converting(from, to, by),
        );
        assert.equal(amounts.currency, to);
        assert.equal(BigInt(amounts.total), total);
        assert.equal(
          BigInt(amounts.tax),
          roundedHalfUp(tax, by, getExponent(from), getExponent(to)),
        );
        assert.equal(amounts.beforeTax, amounts.total - amounts.tax);
        assert.ok(amounts.beforeTax >= 0);
        assert.deepEqual(conversion, {
          original: { currency: from, total: tax + beforeTax, tax, beforeTax },
          rate: by,
        });
      },
    ),
    runs,
  );
});

test('a total that converts to nothing or to too much is refused', () => {
  const cent = { currency: 'INR', totalAmount: 0.01, tax: 0, amountBeforeTax: undefined };
  assertRefused(request(cent), converting('INR', 'JPY', '0.5'), 'total_amount');
  assertRefused(request(), converting('INR', 'USD', '999999999999'), 'total_amount');
});

test('content does not depend on the exchange rate', () => {
  const usd = request({ currency: 'USD' });
  const today = decideOrder(usd, converting('USD', 'INR', '83.25'));
  const tomorrow = decideOrder(usd, converting('USD', 'INR', '84'));
  assert.equal(today.content, tomorrow.content);
  assert.equal(today.content, decideOrder(usd, strict).content);
});

function request(changes: Partial<OrderRequest> = {}): OrderRequest {
  return {
    invoiceId: 'INV-1',
    currency: 'INR',
    amountBeforeTax: 100,
    tax: 18,
    totalAmount: 118,
    details: {
      user: {
        email: 'asha@example.com',
        firstName: 'Asha',
        countryCode: '+91',
        mobileNumber: '9876543210',
      },
      shippingAddress: { city: 'Pune' },
      lineItems: [{ title: 'Tea', rate: 50, quantity: 2 }],
    },
    ...changes,
  };
}

function withDetails(was: OrderRequest, changes: SentDetails): OrderRequest {
  return { ...was, details: { ...was.details, ...changes } };
}

function withUser(was: OrderRequest, changes: Partial<User>): OrderRequest {
  return withDetails(was, { user: { ...(was.details.user as User), ...changes } });
}

/** The details of an ordinary request with some replaced, or removed with undefined. */
function details(changes: { [Name in keyof OrderDetails]: OrderDetails[Name] | undefined }): {
  details: OrderDetails;
} {
  return { details: { ...request().details, ...changes } as OrderDetails };
}

function userWith(changes: { [Name in keyof SentUser]?: SentUser[Name] | undefined }) {
  return {
    details: {
      ...request().details,
      user: { ...request().details.user, ...changes },
    } as SentDetails,
  };
}

function described([description, callbackUrl, firstName]: readonly string[]): OrderRequest {
  return withUser(request(details({ description, callbackUrl })), { firstName: `n${firstName}` });
}

function converting(from: string, to: string, rate: string): AccountSettings {
  return { ...strict, alternateCurrencies: [{ from, to, rate }] };
}

function contentOf(sent: OrderRequest): string {
  return decideOrder(sent, strict).content;
}

function assertRefused(sent: OrderRequest, settings: AccountSettings, field: string): void {
  assert.throws(() => decideOrder(sent, settings), refusalOf(field), `${field} was not refused`);
}

function refusalOf(field: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, 'INVALID_REQUEST_PARAMETER');
    assert.ok(error.merchantMessage.startsWith(`${field} `), error.merchantMessage);
    return true;
  };
}

/** The exact quotient of integers, rounded half up. */
function roundedHalfUp(minor: number, rate: string, from: number, to: number): bigint {
  const [whole = '', fraction = ''] = rate.split('.');
  const dividend = BigInt(minor) * BigInt(whole + fraction) * 10n ** BigInt(to);
  const divisor = 10n ** BigInt(from + fraction.length);
  const remainder = dividend % divisor;
  return dividend / divisor + (remainder * 2n >= divisor ? 1n : 0n);
}
