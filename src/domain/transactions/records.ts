/** Types and helpers for the records of a group while they are placed. */

import type { ProviderName } from '../provider-name.ts';
import { type PaymentStatus, paymentStatuses } from './notice.ts';
import type { StoredPaymentNotice, StoredRefundNotice, VoidState } from './transaction.ts';

/** The records of one group. Authentications are in no group. */
export type GroupRecords = {
  readonly payments: readonly StoredPaymentNotice[];
  readonly refunds: readonly StoredRefundNotice[];
};

/** Why a record is held: not applied to any transaction. */
export type Hold =
  /** It could belong to several payments. A person has to decide. */
  | 'ambiguous'
  /** It has two targets, or the id of another record. A person has to decide. */
  | 'contradictory'
  /** Its target is not known. */
  | 'no-target'
  /** It refunds an authorisation that was never captured, so no money moves. Contract 4.8. */
  | 'release';

export type HeldRecord = { readonly hold: Hold } & (
  | { readonly payment: StoredPaymentNotice }
  | { readonly refund: StoredRefundNotice }
);

export type HeldNotice = HeldRecord & { readonly provider: ProviderName };

/** A payment with its captures, before voids are placed. */
export type PaymentWithCaptures = {
  readonly pspId: string;
  readonly sources: readonly StoredPaymentNotice[];
  readonly captures: Map<string, StoredPaymentNotice[]>;
};

/** The payment that a record without a target belongs to, or why there is none. */
export type ImpliedPayment = PaymentWithCaptures | 'ambiguous' | 'no-target';

export type PlacedCapture = {
  readonly pspId: string;
  readonly notices: readonly StoredPaymentNotice[];
  readonly voided: VoidState | null;
};

/** The records of one payment. */
export type PlacedPayment = {
  /** The provider's id of the payment: that of its authorisation if known, else of its first capture. */
  readonly pspId: string;
  readonly records: readonly StoredPaymentNotice[];
  /** Oldest first. */
  readonly captures: readonly PlacedCapture[];
  /** A void of the payment itself, or of the uncaptured rest of its authorisation. */
  readonly voided: VoidState | null;
};

export type PlacedRefund = {
  readonly pspId: string;
  readonly records: readonly StoredRefundNotice[];
  readonly voidedPspIds: readonly string[] | null;
};

type AnyRecord = StoredPaymentNotice | StoredRefundNotice;

export function highestStatus(notices: readonly StoredPaymentNotice[]): PaymentStatus {
  const ranks = notices.map(({ status }) => paymentStatuses.indexOf(status));
  return paymentStatuses[Math.max(0, ...ranks)] ?? 'new';
}

export function ownId({ pspTransactionId }: AnyRecord): string {
  return pspTransactionId;
}

/** The distinct targets in the notices of one record. */
export function targetsOf(notices: readonly AnyRecord[]): string[] {
  const targets = new Set<string>();
  for (const { targetPspId, pspTransactionId } of notices) {
    if (targetPspId !== undefined && targetPspId !== pspTransactionId) targets.add(targetPspId);
  }
  return [...targets];
}

/** When a record was created at the provider; the earliest time of its notices. */
export function recordedAt(notices: readonly AnyRecord[]): number {
  return Math.min(
    ...notices.map(({ recordedAtMs, occurredAtMs }) => recordedAtMs ?? occurredAtMs ?? 0),
  );
}

/** Compares by time, then by id. */
export function oldestFirst(
  [a, ofA]: readonly [string, readonly AnyRecord[]],
  [b, ofB]: readonly [string, readonly AnyRecord[]],
): number {
  return recordedAt(ofA) - recordedAt(ofB) || (a < b ? -1 : 1);
}

/**
 * Chooses what a void without a target cancels: the newest earlier record of the same amount, or else the newest
 * earlier record. Undefined when there is none.
 */
export function chooseTarget(
  notices: readonly AnyRecord[],
  records: ReadonlyArray<readonly [string, readonly AnyRecord[]]>,
): string | undefined {
  const at = recordedAt(notices);
  const newestFirst = [...records].sort(oldestFirst).reverse();
  const before = newestFirst.filter(([, own]) => recordedAt(own) <= at);
  const eligible = before.length > 0 ? before : newestFirst;
  const same = eligible.find(([, own]) => amountOf(own) === amountOf(notices));
  return (same ?? eligible[0])?.[0];
}

function amountOf(notices: readonly AnyRecord[]): number {
  return Math.max(...notices.map(({ amount }) => amount ?? 0));
}
