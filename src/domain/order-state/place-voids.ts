/** Decides which capture or payment each void cancels. Contract 4.9. */

import {
  chooseTarget,
  type HeldRecord,
  type ImpliedPayment,
  isOneStep,
  oldestFirst,
  ownId,
  type PaymentWithCaptures,
  type PlacedPayment,
  recordedAt,
  targetsOf,
  toVoidCandidate,
  type VoidCandidate,
  voidStateOf,
  voidsPayment,
} from '../payments/records.ts';
import type { StoredPaymentNotice, VoidState } from '../payments/transaction.ts';

export function placeVoids(
  payments: readonly PaymentWithCaptures[],
  notices: readonly StoredPaymentNotice[],
  implied: ImpliedPayment,
  held: HeldRecord[],
): PlacedPayment[] {
  const targeted = new Map<PaymentWithCaptures, TargetedVoid[]>();
  const voids = readVoids(notices);
  const targets = voids.length === 0 ? new Map() : listTargets(payments);
  for (const entry of voids) {
    const target = findVoidTarget(entry, targets, implied, held);
    if (typeof target === 'string') {
      held.push(...entry.notices.map((payment) => ({ hold: target, payment })));
    } else {
      const own = targeted.get(target.payment) ?? [];
      own.push({ ...entry, capture: target.capture });
      targeted.set(target.payment, own);
    }
  }
  return payments.map((payment) => applyVoids(payment, targeted.get(payment) ?? [], held));
}

/** One void with all its notices. */
type Void = {
  readonly notices: readonly StoredPaymentNotice[];
  readonly records: readonly StoredPaymentNotice['record'][];
  readonly targets: readonly string[];
  /** Null for a void that failed. */
  readonly state: VoidState | null;
};

type TargetedVoid = Void & { readonly capture: string | undefined };

/** Groups the notices by void, oldest first. */
function readVoids(notices: readonly StoredPaymentNotice[]): Void[] {
  return [...Map.groupBy(notices, ownId)].sort(oldestFirst).map(([, own]) => ({
    notices: own,
    records: [...new Set(own.map(({ record }) => record))],
    targets: targetsOf(own),
    state: voidStateOf(own),
  }));
}

type VoidTarget = { readonly payment: PaymentWithCaptures; readonly capture: string | undefined };

/** The payments and captures by their ids; of the same id, the capture. */
function listTargets(payments: readonly PaymentWithCaptures[]): Map<string, VoidTarget> {
  const targets = new Map<string, VoidTarget>();
  for (const payment of payments) targets.set(payment.pspId, { payment, capture: undefined });
  for (const payment of payments) {
    for (const capture of payment.captures.keys()) targets.set(capture, { payment, capture });
  }
  return targets;
}

function findVoidTarget(
  { targets, records }: Void,
  known: ReadonlyMap<string, VoidTarget>,
  implied: ImpliedPayment,
  held: readonly HeldRecord[],
): VoidTarget | HeldRecord['hold'] {
  const [target] = targets;
  if (targets.length > 1 || records.length > 1) return 'contradictory';
  if (target === undefined) {
    return typeof implied === 'string' ? implied : { payment: implied, capture: undefined };
  }
  const found = known.get(target);
  if (found) return found;
  // The void of a held capture is held for the same reason.
  const capture = held.find(
    (entry) =>
      'payment' in entry &&
      entry.payment.record === 'capture' &&
      entry.payment.pspTransactionId === target,
  );
  return capture?.hold ?? 'no-target';
}

function applyVoids(
  payment: PaymentWithCaptures,
  voids: readonly TargetedVoid[],
  held: HeldRecord[],
): PlacedPayment {
  const { pspId, sources, captures } = payment;
  const voidedCaptures = new Map<string, VoidState>();
  const voidCapture = (id: string, state: VoidState) => {
    if (voidedCaptures.get(id) !== 'done') voidedCaptures.set(id, state);
  };
  const candidates =
    voids.length === 0 ? [] : [...captures].map(([id, own]) => toVoidCandidate(id, own));
  let voided: VoidState | null = null;
  const records = [...sources, ...[...captures.values()].flat()];
  // Voids that target a capture come first, so that the others choose among the remaining captures.
  const exactFirst = voids.toSorted(
    (a, b) => Number(b.capture !== undefined) - Number(a.capture !== undefined),
  );
  for (const entry of exactFirst) {
    const { notices, state } = entry;
    const isOfPayment = voidsPayment(entry.records[0], entry.capture, captures.size);
    const cancelled = isOfPayment
      ? capturesOfPayment(entry, sources, candidates)
      : capturesOfVoid(entry, candidates, voidedCaptures);
    if (cancelled === 'no-target') {
      held.push(...notices.map((notice) => ({ hold: cancelled, payment: notice })));
      continue;
    }
    records.push(...notices);
    if (state === null) continue;
    for (const id of cancelled) voidCapture(id, state);
    if (isOfPayment && voided !== 'done') voided = state;
  }
  const placed = [...captures].sort(oldestFirst).map(([id, own]) => ({
    pspId: id,
    notices: own,
    voided: voidedCaptures.get(id) ?? null,
  }));
  return { pspId, records, captures: placed, voided };
}

/** The void of an authorisation releases its uncaptured rest; the void of a payment cancels all of it. */
function capturesOfPayment(
  { records: [record], notices }: TargetedVoid,
  sources: readonly StoredPaymentNotice[],
  candidates: readonly VoidCandidate[],
): readonly string[] | 'no-target' {
  if (record === 'void-authorization') return [];
  if (record === 'void-capture') return isOneStep(sources) ? [] : 'no-target';
  const at = recordedAt(notices);
  return candidates.filter((capture) => capture.recordedAt <= at).map(({ pspId }) => pspId);
}

/** The capture that the void targets, or the one that it can only mean. */
function capturesOfVoid(
  { capture, notices }: TargetedVoid,
  candidates: readonly VoidCandidate[],
  voided: ReadonlyMap<string, VoidState>,
): readonly string[] | 'no-target' {
  if (capture !== undefined) return [capture];
  const chosen = chooseTarget(notices, candidates, (pspId) => voided.has(pspId));
  return chosen === undefined ? 'no-target' : [chosen];
}
