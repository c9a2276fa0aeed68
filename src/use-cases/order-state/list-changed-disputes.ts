/** The rows of the disputes that changed with their order. Contract 17. */
import { isDeepStrictEqual } from 'node:util';
import { type Dispute, isFinalDispute } from '../../domain/disputes/dispute.ts';
import { disputeLimits } from '../../domain/disputes/limits.ts';
import { paymentsOf } from '../../domain/order-state/matching.ts';
import type { OrderState } from '../../domain/order-state/order-state.ts';
import type { Payment } from '../../domain/payments/transaction.ts';
import { addSeconds } from '../../domain/time.ts';
import { getProvider } from '../../providers/providers.ts';
import type { SavedDispute } from '../../store/disputes/disputes.ts';
import type { ChangedOrderState } from './describe-change.ts';

export function listChangedDisputes(
  { before, after, isRebuilt }: Pick<ChangedOrderState, 'before' | 'after' | 'isRebuilt'>,
  now: Date,
) {
  const known = new Map(listDisputes(before).map((entry) => [keyOf(entry), entry]));
  const current = new Map(listDisputes(after).map((entry) => [keyOf(entry), entry]));
  const { accountId, orderId } = before.order;
  const saved = [...current].flatMap(([key, entry]): SavedDispute[] => {
    if (!isRebuilt && isDeepStrictEqual(known.get(key), entry)) return [];
    const { provider, dispute } = entry;
    const isPolled =
      !isFinalDispute(dispute.status) && getProvider(provider).outbound.fetchDispute !== undefined;
    const nextPollAt = isPolled ? addSeconds(now, disputeLimits.pollSeconds) : null;
    return [{ accountId, orderId, ...entry, changedAt: now, nextPollAt }];
  });
  const removed = [...known].flatMap(([key, { provider, dispute }]) =>
    current.has(key) ? [] : [{ accountId, orderId, provider, disputeId: dispute.disputeId }],
  );
  return { saved, removed };
}

export type Listed = Pick<Payment, 'provider' | 'transactionId'> & { readonly dispute: Dispute };

export function listDisputes({ transactions }: Pick<OrderState, 'transactions'>): Listed[] {
  return paymentsOf(transactions).flatMap(({ provider, transactionId, disputes }) =>
    (disputes ?? []).map((dispute) => ({ provider, transactionId, dispute })),
  );
}

export const keyOf = ({ provider, dispute }: Listed) => `${provider} ${dispute.disputeId}`;
