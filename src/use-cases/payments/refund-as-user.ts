/**
 * Refunds a payment for a user of the dashboard, as the merchant API does. The key of the request makes a repeat return
 * the first refund, a refund that was made meanwhile refuses this one, and the audit log says who requested it. Contract
 * 13.5.
 */
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { SentAmount } from '../../domain/money/money.ts';
import type { Services } from '../../services/services.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import type { Replayable } from './idempotency.ts';
import { refund } from './refund.ts';
import type { RefundReply } from './store-refund.ts';

type UserRefund = {
  readonly transactionId: string;
  readonly amount: SentAmount;
  /** As the user saw it. */
  readonly refundedSoFar: SentAmount;
  /** What was sent with it before gets the same refund, also from another tab or another user. */
  readonly key: string;
  readonly note: string | null;
};

export async function refundAsUser(
  services: Services,
  actor: Actor,
  { accountId, orderId }: OrderKey,
  { key, note, ...wanted }: UserRefund,
): Promise<Replayable<RefundReply>> {
  if (!wanted.transactionId.startsWith(`${orderId}-`)) {
    throw new ServiceError('NOT_FOUND', 'The order has no such payment.');
  }
  // A user acts for the whole account, as whoever has a merchant token does.
  const caller = { type: 'merchant', accountId, secretMark: '' } as const;
  const sent = { ...wanted, invoiceId: undefined, refundRequestId: undefined };
  // Shops choose their keys themselves: theirs must not meet those of the dashboard.
  return refund(services, caller, sent, {
    idempotencyKey: `dashboard ${key}`,
    by: { actor, note },
  });
}
