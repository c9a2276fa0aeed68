/** A delivery for the tests of the inbox; fields can be replaced. */
import type { Delivery, DeliveryResult } from '../../../src/domain/inbox/delivery.ts';

export const now = new Date('2026-11-14T10:00:00.000Z');

export function deliveryOf(changes: Partial<Delivery> = {}): Delivery {
  return {
    accountId: 'acc_0000000000000001',
    deliveryId: 'dlv_00000000000000010000000000000001',
    provider: 'partner',
    deliveryKey: 'digest-1',
    eventId: null,
    state: 'received',
    why: null,
    flags: [],
    headers: {},
    body: Buffer.from('{"event":"payment.captured"}'),
    expectedMerchant: null,
    orderId: null,
    tries: 0,
    nextTryAt: null,
    receivedAt: now,
    finishedAt: null,
    ...changes,
  };
}

export function resultOf(changes: Partial<DeliveryResult> = {}): DeliveryResult {
  return {
    state: 'processed',
    why: null,
    flags: [],
    orderId: 'o_0000000000000001',
    tries: 0,
    nextTryAt: null,
    finishedAt: now,
    ...changes,
  };
}
