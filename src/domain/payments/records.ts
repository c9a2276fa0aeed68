/** Types and helpers for the records of a group while they are placed. */
import type { ProviderName } from '../provider-name.ts';
import { type PaymentStatus, paymentStatuses, rankOf } from './notice.ts';
import type {
  AnyNotice,
  Refund,
  StoredPaymentNotice,
  StoredRefundNotice,
  VoidState,
} from './transaction.ts';

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

export type PlacedPayment = {
  /** The provider's id of the payment: that of its authorisation if known, else of its first capture. */
  readonly pspId: string;
  readonly records: readonly StoredPaymentNotice[];
  /** Oldest first. */
  readonly captures: readonly PlacedCapture[];
  /** A void of the payment itself, or of the uncaptured rest of its authorisation. */
  readonly voided: VoidState | null;
};

/** A refund with its records, as it is folded. */
export type PlacedRefund = Pick<Refund, 'type' | 'voidedPspIds' | 'notices'> & {
  readonly pspTransactionId: string;
};

export function holdPayments(
  held: HeldRecord[],
  hold: Hold,
  notices: readonly StoredPaymentNotice[],
): void {
  held.push(...notices.map((payment) => ({ hold, payment })));
}

/** True for a notice of the payment or authorisation itself. */
export const isSource = ({ record }: StoredPaymentNotice): boolean => record === undefined;

export const isCapture = ({ record }: StoredPaymentNotice): boolean => record === 'capture';

/** The state of one void. A failed void has the status `new`, also when it was pending before, and is null here. */
export function voidStateOf(notices: readonly StoredPaymentNotice[]): VoidState | null {
  const statuses = new Set(notices.map(({ status }) => status));
  if (statuses.has('reversed')) return 'done';
  return statuses.has('new') ? null : 'pending';
}

/**
 * True for a void of the payment or of the rest of its authorisation, false for one of a capture. A payment made in one
 * step has no captures, so that a void of its capture cancels the payment.
 */
export function voidsPayment(
  record: StoredPaymentNotice['record'],
  targetCapture: string | undefined,
  captureCount: number,
): boolean {
  return targetCapture === undefined && (record !== 'void-capture' || captureCount === 0);
}

/** True for a payment that succeeded without a separate capture. It cannot be captured again. */
export function isOneStep(notices: readonly StoredPaymentNotice[]): boolean {
  return highestStatus(notices.filter(isSource)) === 'succeeded';
}

export function highestStatus(notices: ReadonlyArray<Pick<AnyNotice, 'status'>>): PaymentStatus {
  const ranks = notices.map(({ status }) => rankOf(status));
  return paymentStatuses[Math.max(0, ...ranks)] ?? 'new';
}

export const ownId = ({ pspTransactionId }: AnyNotice): string => pspTransactionId;

export function targetsOf(notices: readonly AnyNotice[]): string[] {
  const targets = new Set<string>();
  for (const { targetPspId, pspTransactionId } of notices) {
    if (targetPspId !== undefined && targetPspId !== pspTransactionId) targets.add(targetPspId);
  }
  return [...targets];
}

/** When a record was created at the provider; the earliest time of its notices. */
export function recordedAt(notices: readonly AnyNotice[]): number {
  return Math.min(
    ...notices.map(({ recordedAtMs, occurredAtMs }) => recordedAtMs ?? occurredAtMs ?? 0),
  );
}

export function oldestFirst(
  [a, ofA]: readonly [string, readonly AnyNotice[]],
  [b, ofB]: readonly [string, readonly AnyNotice[]],
): number {
  return recordedAt(ofA) - recordedAt(ofB) || (a < b ? -1 : 1);
}

export type VoidCandidate = ReturnType<typeof toVoidCandidate>;

export function toVoidCandidate(pspId: string, notices: readonly AnyNotice[]) {
  return {
    pspId,
    recordedAt: recordedAt(notices),
    amount: Math.max(...notices.map(({ amount }) => amount ?? 0)),
    status: highestStatus(notices),
  };
}

/**
 * Chooses what a void without a target cancels: the newest earlier record of the same amount, or else the newest
 * earlier record. It is a successful one, else a pending one; never a failed one. Undefined when there is none.
 */
export function chooseTarget(
  notices: readonly AnyNotice[],
  candidates: readonly VoidCandidate[],
  isVoided: (pspId: string) => boolean,
): string | undefined {
  const own = toVoidCandidate('', notices);
  const findBest = (status: PaymentStatus) => {
    let best: VoidCandidate | undefined;
    for (const candidate of candidates) {
      if (candidate.status !== status || isVoided(candidate.pspId)) continue;
      if (!best || compareForVoid(own, candidate, best) > 0) best = candidate;
    }
    return best?.pspId;
  };
  return findBest('succeeded') ?? findBest('pending');
}

function compareForVoid(own: VoidCandidate, a: VoidCandidate, b: VoidCandidate): number {
  return (
    Number(a.recordedAt <= own.recordedAt) - Number(b.recordedAt <= own.recordedAt) ||
    Number(a.amount === own.amount) - Number(b.amount === own.amount) ||
    a.recordedAt - b.recordedAt ||
    (a.pspId > b.pspId ? 1 : -1)
  );
}
