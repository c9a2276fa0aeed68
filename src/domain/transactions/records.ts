/** The records of a provider's order while they are placed, and what several files need to know of them. */

import type { ProviderName } from '../provider-name.ts';
import { type PaymentStatus, paymentStatuses } from './notice.ts';
import type { StoredPaymentNotice, StoredRefundNotice, VoidState } from './transaction.ts';

/** The records of one group; authentications belong to none. */
export type GroupRecords = {
  readonly payments: readonly StoredPaymentNotice[];
  readonly refunds: readonly StoredRefundNotice[];
};

/** Why a record is not applied. */
export type Hold =
  /** It could belong to several payments. A person has to look. */
  | 'ambiguous'
  /** It names two targets, or its id is that of another record. A person has to look. */
  | 'contradictory'
  /** What it targets is not known. */
  | 'no-target'
  /** The refund of an authorisation that was never captured is no refund. Contract 4.8. */
  | 'release';

export type HeldRecord = { readonly hold: Hold } & (
  | { readonly payment: StoredPaymentNotice }
  | { readonly refund: StoredRefundNotice }
);

export type HeldNotice = HeldRecord & { readonly provider: ProviderName };

/** A payment before its voids are placed. */
export type OpenPayment = {
  readonly pspId: string;
  readonly sources: readonly StoredPaymentNotice[];
  readonly captures: Map<string, StoredPaymentNotice[]>;
};

/** The payment that a record without a target belongs to, or why there is none. */
export type OnlyPayment = OpenPayment | 'ambiguous' | 'no-target';

export type PlacedCapture = {
  readonly pspId: string;
  readonly notices: readonly StoredPaymentNotice[];
  readonly voided: VoidState | null;
};

/** The records of one payment. */
export type PlacedPayment = {
  /** The provider's id of the payment: that of its authorisation, where it is known. */
  readonly pspId: string;
  readonly records: readonly StoredPaymentNotice[];
  /** Oldest first. */
  readonly captures: readonly PlacedCapture[];
  /** A void of the payment itself, or of what its authorisation has left. */
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

/** The targets that the notices of one record name, each once. */
export function targetsOf(notices: readonly AnyRecord[]): string[] {
  const targets = new Set<string>();
  for (const { targetPspId, pspTransactionId } of notices) {
    if (targetPspId !== undefined && targetPspId !== pspTransactionId) targets.add(targetPspId);
  }
  return [...targets];
}

/** When a record came to be at the provider; the same however often it is reported. */
export function recordedAt(notices: readonly AnyRecord[]): number {
  return Math.min(
    ...notices.map(({ recordedAtMs, occurredAtMs }) => recordedAtMs ?? occurredAtMs ?? 0),
  );
}

/** By time, then by id. */
export function oldestFirst(
  [a, ofA]: readonly [string, readonly AnyRecord[]],
  [b, ofB]: readonly [string, readonly AnyRecord[]],
): number {
  return recordedAt(ofA) - recordedAt(ofB) || (a < b ? -1 : 1);
}

/**
 * What a void without a target takes back: the newest record before it, rather one of the same amount.
 * Undefined where none is known yet.
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
