/** What becomes of a delivery when it is applied: finished, parked, or left to a person. */
import { limits } from '../limits.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { withFlags } from '../transactions/transaction.ts';
import type { Delivery, DeliveryResult } from './delivery.ts';
import { nextTryOf } from './retry-schedule.ts';

export type DeliveryOutcome = {
  readonly result: DeliveryResult;
  /** Names that are known from now on; deliveries parked for one of them can be applied. */
  readonly names: readonly string[];
  /** The names that a parked delivery is parked for. */
  readonly parkedFor: readonly string[];
};

export function finish(
  { tries }: Pick<Delivery, 'tries'>,
  now: Date,
  end: Pick<DeliveryResult, 'state' | 'why'> & {
    readonly flags?: readonly ReviewFlag[];
    readonly orderId?: string;
    readonly names?: readonly string[];
  },
): DeliveryOutcome {
  const { state, why, flags = [], orderId = null, names = [] } = end;
  const result = { state, why, flags, orderId, tries, nextTryAt: null, finishedAt: now };
  return { result, names, parkedFor: [] };
}

/** Stored until something it names appears, and tried again at growing intervals. Contract 6.6. */
export function park(
  delivery: Pick<Delivery, 'tries'>,
  parkedFor: readonly string[],
  now: Date,
): DeliveryOutcome {
  const result = {
    ...nextTryOf(delivery, now, 'parked'),
    why: 'what it names is not known yet',
    flags: [],
    orderId: null,
  };
  return { result, names: [], parkedFor };
}

/** The delivery names several orders: it is applied to none, and a person decides. Contract 6.4. */
export function reportConflict(
  delivery: Pick<Delivery, 'tries'>,
  orders: readonly string[],
  now: Date,
  report?: { readonly why: string; readonly flags: readonly ReviewFlag[] },
): DeliveryOutcome {
  const conflict = `its references name different orders: ${orders.toSorted().join(', ')}`;
  return finish(delivery, now, {
    state: 'needs_review',
    why: report ? `${report.why}; ${conflict}` : conflict,
    flags: withFlags(report?.flags ?? [], ['reference_conflict']),
  });
}

/** True when the delivery would add a transaction beyond the limit. Existing ones may still change. Contract 4.14. */
export function exceedsTransactionLimit(countBefore: number, countAfter: number): boolean {
  return countAfter > limits.transactionsMax && countAfter > countBefore;
}

export function rejectTooMany(
  delivery: Pick<Delivery, 'tries'>,
  orderId: string,
  now: Date,
): DeliveryOutcome {
  return finish(delivery, now, {
    state: 'needs_review',
    why: `its order has ${limits.transactionsMax} transactions, and no more are stored`,
    flags: ['too_many_transactions'],
    orderId,
  });
}
