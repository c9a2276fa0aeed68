import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../../src/domain/errors.ts';
import { formatAmount } from '../../../src/domain/money/money.ts';
import { checkLineItems } from '../../../src/domain/orders/line-items.ts';
import type { Amounts, LineItem, OrderDetails } from '../../../src/domain/orders/order.ts';

const runs = { numRuns: 1_000 };
const order: Amounts = { currency: 'INR', beforeTax: 10_000, tax: 1_800, total: 11_800 };
const tea: LineItem = { title: 'Tea', rate: 50, quantity: 2, tax: 18 };

type Cart = ReadonlyArray<Partial<LineItem>>;
type Flags = Pick<OrderDetails, 'validateOrderLineItem'>;

test('a cart that agrees with the order is accepted, whichever amounts it leaves out', () => {
  const carts: Readonly<Record<string, Cart>> = {
    'all given': [{ rate: 50, quantity: 2, amountBeforeTax: 100, tax: 18, totalAmount: 118 }],
    'all given as text': [
      { rate: '50.00', quantity: '2', amountBeforeTax: '100.0', tax: '18', totalAmount: '118.00' },
    ],
    'before tax and total follow': [{ rate: 50, quantity: 2, tax: 18 }],
    'total follows': [{ rate: 50, quantity: 2, amountBeforeTax: 100, tax: 18 }],
    'before tax follows from total and tax': [{ quantity: 3, tax: 18, totalAmount: 118 }],
    'without a rate': [{ quantity: 3, amountBeforeTax: 100, tax: 18, totalAmount: 118 }],
    'two items, tax on one': [
      { rate: 25, quantity: 2, tax: 18 },
      { rate: 50, quantity: 1 },
    ],
    'a free item': [
      { rate: 50, quantity: 2, tax: 18 },
      { rate: 0, quantity: 1 },
    ],
    'half a quantity': [{ rate: 200, quantity: 0.5, tax: 18 }],
    'a rate with more decimals than the currency': [{ rate: 33.3333, quantity: 3, tax: 18 }],
  };
  for (const [name, cart] of Object.entries(carts)) {
    assert.doesNotThrow(() => check(cart), name);
  }
});

test('each disagreement is refused and names its field', () => {
  const cases: ReadonlyArray<readonly [field: string, cart: Cart]> = [
    ['order_line_items[0].amount_before_tax', [{ ...tea, amountBeforeTax: 99.99 }]],
    ['order_line_items[0].amount_before_tax', [{ ...tea, quantity: 1, amountBeforeTax: 100 }]],
    ['order_line_items[0].amount_before_tax', [{ ...tea, rate: 50.01, amountBeforeTax: 100 }]],
    ['order_line_items[0].total_amount', [{ ...tea, totalAmount: 118.01 }]],
    ['order_line_items[0].total_amount', [{ ...tea, tax: 17, totalAmount: 118 }]],
    ['order_line_items[0].total_amount', [{ rate: 50, quantity: 2, totalAmount: 118 }]],
    [
      'order_line_items[0].total_amount',
      [{ quantity: 1, amountBeforeTax: 101, tax: 18, totalAmount: 118 }],
    ],
    ['order_line_items[1].total_amount', [tea, { rate: 1, quantity: 1, totalAmount: 2 }]],
    ['order_line_items[0].tax', [{ ...tea, tax: '18.001' }]],
    ['order_line_items[0].total_amount', [{ ...tea, totalAmount: '118.001' }]],
    ['order_line_items[0].amount_before_tax', [{ ...tea, amountBeforeTax: '100.001' }]],
    ['order_line_items', [{ ...tea, rate: 49 }]],
    ['order_line_items', [{ ...tea, tax: 17 }]],
    ['order_line_items', [{ ...tea, rate: 50.5, tax: 17 }]],
    ['order_line_items', [tea, tea]],
    ['order_line_items', [tea, { rate: 0.01, quantity: 1 }]],
  ];
  for (const [field, cart] of cases) assertRefused(cart, field);
});

test('a wrong sum is refused and named', () => {
  const cases: ReadonlyArray<readonly [named: RegExp, cart: Cart]> = [
    [/sum of amount_before_tax/, [{ ...tea, rate: 49 }]],
    [/sum of tax/, [{ ...tea, tax: 17 }]],
  ];
  for (const [named, cart] of cases) {
    assert.throws(
      () => check(cart),
      (error: unknown) => error instanceof ServiceError && named.test(error.merchantMessage),
      String(named),
    );
  }
});

test('an item whose tax exceeds its total is refused, even if the sums are right', () => {
  const cart = [
    { quantity: 1, tax: 10, totalAmount: 5 },
    { quantity: 1, tax: 8, totalAmount: 113 },
  ];
  assert.throws(() => check(cart), ServiceError);
});

test('without validate_order_line_item no arithmetic is checked', () => {
  const wrong: Cart = [
    { rate: 1, quantity: 1, amountBeforeTax: 2, tax: 3, totalAmount: 4 },
    { rate: '0.00001', quantity: '7', totalAmount: '99999999999999999999' },
  ];
  for (const flags of [{ validateOrderLineItem: false }, {}]) {
    assert.doesNotThrow(() => check(wrong, flags));
  }
  assertRefused(wrong, 'order_line_items[0].amount_before_tax');
});

test('invalid numbers are refused with or without validation', () => {
  const cases: ReadonlyArray<readonly [field: string, change: Partial<LineItem>]> = [
    ...[0, '0', '0.00', -0, -1, '-1', '', 'two', '1e1', Number.NaN].map(
      (quantity) => ['quantity', { quantity }] as const,
    ),
    ...[-1, '-0.01', 'free', '1,000'].flatMap((wrong) => [
      ['rate', { rate: wrong }] as const,
      ['amount_before_tax', { amountBeforeTax: wrong }] as const,
      ['tax', { tax: wrong }] as const,
      ['total_amount', { totalAmount: wrong }] as const,
    ]),
    ['rate', { rate: undefined }],
    ['rate', { rate: undefined, amountBeforeTax: 100 }],
  ];
  for (const [field, change] of cases) {
    for (const validateOrderLineItem of [true, false]) {
      assertRefused([tea, { ...tea, ...change }], `order_line_items[1].${field}`, {
        validateOrderLineItem,
      });
    }
  }
});

test('an absent cart is accepted', () => {
  assert.equal(checkLineItems({ validateOrderLineItem: true }, order), undefined);
});

test('any cart agrees with an order of its sums, and with no other', () => {
  const item = fc.record({
    rate: fc.nat(1_000_000),
    quantity: fc.integer({ min: 1, max: 1_000 }),
    tax: fc.nat(1_000_000),
    given: fc.record({ beforeTax: fc.boolean(), rate: fc.boolean() }),
  });
  const cart = fc.array(item, { minLength: 1, maxLength: 10 });
  const currency = fc.constantFrom(['JPY', 0] as const, ['INR', 2] as const, ['KWD', 3] as const);
  const off = fc.constantFrom(-1, 1);
  fc.assert(
    fc.property(cart, currency, off, (drawn, [code, exponent], by) => {
      const write = (minor: number) => formatAmount(minor, exponent);
      const items: LineItem[] = drawn.map(({ rate, quantity, tax, given }) => ({
        title: 'Tea',
        quantity,
        tax: write(tax),
        ...(given.rate ? { rate: write(rate) } : { totalAmount: write(rate * quantity + tax) }),
        ...(given.beforeTax && { amountBeforeTax: write(rate * quantity) }),
      }));
      const beforeTax = drawn.reduce((sum, { rate, quantity }) => sum + rate * quantity, 0);
      const tax = drawn.reduce((sum, one) => sum + one.tax, 0);
      const sums = { currency: code, beforeTax, tax, total: beforeTax + tax };
      const checkAgainst = (amounts: Amounts) =>
        checkLineItems({ lineItems: items, validateOrderLineItem: true }, amounts);

      checkAgainst(sums);
      for (const wrong of [
        { ...sums, beforeTax: beforeTax + by, total: sums.total + by },
        { ...sums, tax: tax + by, total: sums.total + by },
        { ...sums, beforeTax: beforeTax + by, tax: tax - by },
      ]) {
        assert.throws(() => checkAgainst(wrong), refusalOf('order_line_items'));
      }
    }),
    runs,
  );
});

function check(cart: Cart, flags: Flags = { validateOrderLineItem: true }): unknown {
  const lineItems = cart.map((item) => ({ title: 'Tea', quantity: 1, ...item }) as LineItem);
  return checkLineItems({ lineItems, ...flags }, order);
}

function assertRefused(cart: Cart, field: string, flags?: Flags): void {
  assert.throws(() => check(cart, flags), refusalOf(field), JSON.stringify(cart));
}

function refusalOf(field: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, 'INVALID_REQUEST_PARAMETER');
    assert.equal(error.merchantMessage.split(' ')[0], field, error.merchantMessage);
    return true;
  };
}
