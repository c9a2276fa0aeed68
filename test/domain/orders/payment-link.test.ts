/** The status of a payment link follows from its order. Contract 19.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkStatus, type PaymentLink } from '../../../src/domain/orders/payment-link.ts';

const now = new Date('2026-11-17T10:00:00.000Z');
const [before, after] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
const unopened: PaymentLink = { linkId: 'l', openedAt: null, cancelledAt: null };
const order = { savedStatus: 'new', attempts: 0, lapsesAt: after } as const;

test('it is created, opened, expired, cancelled or paid, and the last of these wins', () => {
  const opened = { ...unopened, openedAt: before };
  const cancelled = { ...opened, cancelledAt: before };
  const pending = { ...order, savedStatus: 'pending', attempts: 1 } as const;
  const paid = { ...pending, savedStatus: 'completed', lapsesAt: before } as const;
  assert.equal(linkStatus(unopened, order, now), 'created');
  assert.equal(linkStatus(opened, order, now), 'opened');
  assert.equal(linkStatus(unopened, pending, now), 'opened');
  assert.equal(linkStatus(opened, { ...pending, lapsesAt: now }, now), 'expired');
  assert.equal(linkStatus(opened, { ...pending, savedStatus: 'lapsed' }, now), 'expired');
  assert.equal(linkStatus(cancelled, { ...pending, lapsesAt: before }, now), 'cancelled');
  assert.equal(linkStatus(cancelled, paid, now), 'paid');
});
