import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AccountSettings, accountDefaults } from '../../../src/domain/accounts/account.ts';
import { type ErrorCode, ServiceError } from '../../../src/domain/errors.ts';
import { listChanges } from '../../../src/domain/history.ts';
import type { Order, SentUser } from '../../../src/domain/orders/order.ts';
import { decideOrder } from '../../../src/domain/orders/order-request.ts';
import {
  contentOf,
  decideUpdate,
  type OrderUpdate,
  refuseClosed,
} from '../../../src/domain/orders/order-update.ts';

const settings: AccountSettings = { name: 'Tea shop', ...accountDefaults };
const converting: AccountSettings = {
  ...settings,
  alternateCurrencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
};
const price = { totalAmount: 200 };

test('an empty update changes nothing', () => {
  for (const order of [orderOf(), orderOf({}, converting, 'USD')]) {
    const updated = { ...order, ...decide(order, { details: {} }) };
    assert.deepEqual(listChanges(contentOf(order), contentOf(updated)), []);
  }
});

test('only open orders can be changed', () => {
  const now = new Date('2026-11-15T10:00:00Z');
  const later = new Date('2026-11-17T10:00:00Z');
  refuseClosed(orderOf(), now);
  refuseClosed(orderOf({ savedStatus: 'pending' }), now);
  assertThrows(() => refuseClosed(orderOf({ savedStatus: 'completed' }), now), 'ORDER_COMPLETED');
  assertThrows(() => refuseClosed(orderOf({ savedStatus: 'completed' }), later), 'ORDER_COMPLETED');
  assertThrows(() => refuseClosed(orderOf({ savedStatus: 'lapsed' }), now), 'ORDER_LAPSED');
  assertThrows(() => refuseClosed(orderOf(), later), 'ORDER_LAPSED');
});

test('permission is checked before attempts, and attempts before content', () => {
  const bad: OrderUpdate = { totalAmount: 'ten', currency: 'USD', details: {} };
  const attempted = orderOf({ attempts: 1 });
  assertThrows(() => decideUpdate(attempted, bad, settings, 'order'), 'PERMISSION_DENIED');
  assertThrows(() => decideUpdate(attempted, bad, settings, 'merchant'), 'ORDER_CONFLICT');
  assertThrows(() => decide(orderOf(), bad), 'INVALID_REQUEST_PARAMETER');
});

test('every field of the price is protected', () => {
  const lineItems = [{ title: 'Tea', quantity: 1, rate: 1 }];
  for (const update of [
    { totalAmount: 118, details: {} },
    { tax: 0, details: {} },
    { amountBeforeTax: '0', details: {} },
    { details: { lineItems } },
  ]) {
    assertThrows(() => decideUpdate(orderOf(), update, settings, 'order'), 'PERMISSION_DENIED');
    assertThrows(() => decide(orderOf({ attempts: 1 }), update), 'ORDER_CONFLICT');
  }
});

test('changing other fields leaves the amounts unchanged, even after attempts', () => {
  const details = fc.record(
    {
      user: fc.record(
        {
          firstName: fc.string({ minLength: 1 }),
          mobileNumber: fc.stringMatching(/^[1-9]\d{3,11}$/),
          countryCode: fc.stringMatching(/^\+[1-9]\d{0,3}$/),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
      description: fc.string({ minLength: 1 }),
      shippingAddress: fc.record({ city: fc.string({ minLength: 1 }) }, { noNullPrototype: true }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  fc.assert(
    fc.property(details, fc.nat(14), fc.boolean(), (given, attempts, converted) => {
      const order = converted ? orderOf({ attempts }, converting, 'USD') : orderOf({ attempts });
      const updated = decideUpdate(order, { details: given }, settings, 'order');
      assert.deepEqual(updated, {
        amounts: order.amounts,
        conversion: order.conversion,
        details: {
          ...order.details,
          ...given,
          user: { ...order.details.user, ...given.user },
        },
      });
    }),
  );
});

test("amounts of any size are converted as at creation, at the order's rate", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), fc.nat(1_000_000_000), (a, b) => {
      const [totalAmount, tax] = [(a + b) / 100, b / 100];
      const order = orderOf({}, converting, 'USD');
      const fresh = decideOrder(
        { ...request('USD'), totalAmount, tax, amountBeforeTax: undefined },
        converting,
      );
      const { amounts, conversion } = decide(order, { totalAmount, tax, details: {} });
      assert.deepEqual({ amounts, conversion }, pick(fresh));
    }),
  );
});

test('an update does not convert an order that was not converted', () => {
  const order = orderOf({}, settings, 'USD');
  const { amounts, conversion } = decide(order, { ...price, details: {} }, converting);
  assert.equal(conversion, null);
  assert.deepEqual(amounts, { currency: 'USD', total: 20_000, tax: 0, beforeTax: 20_000 });
});

test('items are checked against the amounts after the update', () => {
  const checked = orderOf();
  const order = { ...checked, details: { ...checked.details, validateOrderLineItem: true } };
  const lineItems = [{ title: 'Tea', quantity: 2, rate: 100 }];
  assertThrows(() => decide(order, { ...price, details: {} }), 'INVALID_REQUEST_PARAMETER');
  assertThrows(() => decide(order, { details: { lineItems } }), 'INVALID_REQUEST_PARAMETER');
  assert.deepEqual(decide(order, { ...price, details: { lineItems } }).details, {
    ...order.details,
    lineItems,
  });
});

test('required details are checked again only when the consumer is sent', () => {
  const linked = orderOf({ details: { user: { countryCode: '+1', mobileNumber: '5550100' } } });
  assert.equal(decide(linked, { details: { description: 'x' } }).details.description, 'x');
  const named = { details: { user: { firstName: 'Sam' } } };
  assertThrows(() => decide(linked, named), 'INVALID_REQUEST_PARAMETER');
  const optional = { ...settings, optionalOrderDetails: true };
  assert.deepEqual(decide(linked, named, optional).details.user, {
    countryCode: '+1',
    mobileNumber: '5550100',
    firstName: 'Sam',
  });
});

test('a new number is read with the stored country code', () => {
  const british = {
    email: 'a@example.com',
    firstName: 'A',
    countryCode: '+44',
    mobileNumber: '7911123456',
  };
  const order = { ...orderOf(), details: { ...orderOf().details, user: british } };
  const userAfter = (user: SentUser) => decide(order, { details: { user } }).details.user;
  assert.deepEqual(userAfter({ mobileNumber: '07911 999 999' }), {
    ...british,
    mobileNumber: '7911999999',
  });
  assert.deepEqual(userAfter({ mobileNumber: '+44 7911 999999' }), {
    ...british,
    mobileNumber: '7911999999',
  });
  const refused = () => userAfter({ mobileNumber: '+91 98765 43210' });
  assertThrows(refused, 'INVALID_REQUEST_PARAMETER');
  const moved = userAfter({ mobileNumber: '+91 98765 43210', countryCode: '91' });
  assert.deepEqual(moved, { ...british, countryCode: '+91', mobileNumber: '9876543210' });
  assert.deepEqual(userAfter({ countryCode: '0091' }), { ...british, countryCode: '+91' });
});

test('the default country code of a consumer without a number does not conflict with a new number', () => {
  const nameless = { email: 'a@example.com', firstName: 'A', countryCode: '+91' };
  const order = { ...orderOf(), details: { ...orderOf().details, user: nameless } };
  const { user } = decide(order, {
    details: { user: { mobileNumber: '+44 7911 123456' } },
  }).details;
  assert.deepEqual(user, { ...nameless, countryCode: '+44', mobileNumber: '7911123456' });
});

test('the stored phone number stays unchanged when an update does not send one', () => {
  const odd = {
    email: 'a@example.com',
    firstName: 'A',
    countryCode: '+091',
    mobileNumber: '00919876',
  };
  const order = { ...orderOf(), details: { ...orderOf().details, user: odd } };
  const { user } = decide(order, { details: { user: { lastName: 'Iyer' } } }).details;
  assert.deepEqual(user, { ...odd, lastName: 'Iyer' });
});

function decide(order: Order, update: OrderUpdate, today = settings) {
  return decideUpdate(order, update, today, 'merchant');
}

function request(currency: string) {
  return {
    invoiceId: 'INV-1',
    currency,
    totalAmount: 118,
    tax: 18,
    details: {
      user: {
        email: 'asha@example.com',
        firstName: 'Asha',
        countryCode: '+91',
        mobileNumber: '9876543210',
      },
      shippingAddress: { city: 'Bengaluru' },
      lineItems: [{ title: 'Tea', quantity: 1, rate: 100, tax: 18 }],
    },
  };
}

function orderOf(changes: Partial<Order> = {}, atCreation = settings, currency = 'INR'): Order {
  const { invoiceId, details } = request(currency);
  return {
    accountId: 'acc_1',
    orderId: 'o_1',
    invoiceId,
    savedStatus: 'new',
    attempts: 0,
    ...pick(decideOrder(request(currency), atCreation)),
    userId: 'user_1',
    restricted: false,
    details,
    contentDigest: Buffer.alloc(32),
    createdAt: new Date('2026-11-15T09:00:00Z'),
    lapsesAt: new Date('2026-11-16T09:00:00Z'),
    flags: [],
    ...changes,
  };
}

function pick({ amounts, conversion }: Pick<Order, 'amounts' | 'conversion'>) {
  return { amounts, conversion };
}

function assertThrows(work: () => unknown, code: ErrorCode): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, code);
    return true;
  });
}
