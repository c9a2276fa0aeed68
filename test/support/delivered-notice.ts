/** Like the service: the delivery key of a delivery, and the notice from the provider's translator. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { DeliveredNotice } from '../../src/domain/payments/notice.ts';
import { getProvider } from '../../src/providers/providers.ts';
import { expectedMerchant, type SetDelivery } from './delivery-sets.ts';

/** Undefined for a delivery that is no notice. */
export function findNotice(
  { provider: name, eventId, body }: SetDelivery,
  receivedAt: DeliveredNotice['receivedAt'],
): DeliveredNotice | undefined {
  const provider = getProvider(name);
  const header = name === 'partner' ? 'x-razorpay-event-id' : 'x-notification-id';
  const raw = {
    headers: eventId === undefined ? {} : { [header]: eventId },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
  const translation = provider.translate(raw, { expectedMerchant });
  assert.notEqual(translation.kind, 'unreadable');
  if (translation.kind !== 'notice') return undefined;
  const contentKey = eventId === undefined ? provider.findContentKey(raw) : undefined;
  const deliveryKey = contentKey ?? createHash('sha256').update(raw.body).digest('hex');
  return { ...translation.notice, provider: name, deliveryKey, receivedAt };
}
