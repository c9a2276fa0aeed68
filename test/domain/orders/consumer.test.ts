import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../src/domain/errors.ts';
import {
  type ConsumerIds,
  decideConsumerId,
  linkConsumer,
} from '../../../src/domain/orders/consumer.ts';
import type { Order } from '../../../src/domain/orders/order.ts';

const asha: ConsumerIds = { ofAccount: 'user_asha', ofOrder: 'user_asha_here' };
const ravi: ConsumerIds = { ofAccount: 'user_ravi', ofOrder: 'user_ravi_here' };

test('a consumer set by the merchant has the account-wide id', () => {
  for (const userId of [null, 'user_asha', 'user_asha_here', 'user_ravi']) {
    assert.equal(decideConsumerId({ userId, restricted: false }, asha, 'merchant'), 'user_asha');
  }
});

test('a consumer set by an order token has an id of this order, unless the merchant set them before', () => {
  const named = (userId: string | null) =>
    decideConsumerId({ userId, restricted: false }, asha, 'order');
  assert.equal(named(null), 'user_asha_here');
  assert.equal(named('user_ravi'), 'user_asha_here');
  assert.equal(named('user_asha_here'), 'user_asha_here');
  assert.equal(named('user_asha'), 'user_asha');
});

test('a restricted order keeps its consumer and their id, with any token', () => {
  for (const by of ['merchant', 'order'] as const) {
    for (const userId of ['user_asha', 'user_asha_here']) {
      assert.equal(decideConsumerId({ userId, restricted: true }, asha, by), userId);
      assertConflict(() => decideConsumerId({ userId, restricted: true }, ravi, by));
    }
  }
});

test('linking another consumer replaces all details of the previous one', () => {
  const user = { countryCode: '+1', mobileNumber: '5550100' };
  const linked = linkConsumer(orderOf(), user, ravi, 'merchant');
  assert.deepEqual(
    [linked.userId, linked.restricted, linked.details.user],
    ['user_ravi', true, user],
  );
  assertConflict(() => linkConsumer(linked, user, asha, 'merchant'));
});

test('linking the same consumer keeps the details that are not given', () => {
  const order = orderOf();
  const linked = linkConsumer(order, { countryCode: '+91', lastName: 'Iyer' }, asha, 'order');
  assert.deepEqual(linked, {
    ...order,
    restricted: true,
    details: { user: { ...order.details.user, lastName: 'Iyer' } },
  });
});

function assertConflict(action: () => unknown): void {
  assert.throws(
    action,
    (error) => error instanceof ServiceError && error.code === 'ORDER_CONFLICT',
  );
}

function orderOf(): Order {
  return {
    accountId: 'acc_0123456789abcdef',
    orderId: 'o_0123456789abcdef',
    invoiceId: 'INV-1',
    savedStatus: 'new',
    attempts: 0,
    amounts: { currency: 'INR', beforeTax: 100, tax: 18, total: 118 },
    conversion: null,
    userId: 'user_asha',
    restricted: false,
    details: { user: { countryCode: '+91', firstName: 'Asha', mobileNumber: '9876543210' } },
    contentDigest: Buffer.alloc(32),
    createdAt: new Date('2026-11-15T10:00:00Z'),
    lapsesAt: new Date('2026-11-16T10:00:00Z'),
    flags: [],
  };
}
