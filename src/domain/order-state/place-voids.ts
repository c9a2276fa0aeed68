/** Decides which capture or payment each void cancels. Contract 4.9. */
import {
  chooseTarget,
  type HeldRecord,
  holdPayments,
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

type VoidTarget = { readonly payment: PaymentWithCaptures; readonly capture: string | undefined };

type TargetedVoid = Pick<VoidTarget, 'capture'> & {
  readonly notices: readonly StoredPaymentNotice[];
};

export function placeVoids(
  payments: readonly PaymentWithCaptures[],
  notices: readonly StoredPaymentNotice[],
  implied: ImpliedPayment,
  held: HeldRecord[],
): PlacedPayment[] {
  const targeted = new Map<PaymentWithCaptures, TargetedVoid[]>();
  const targets = notices.length === 0 ? new Map() : listTargets(payments);
  for (const [, own] of [...Map.groupBy(notices, ownId)].sort(oldestFirst)) {
    const target = findVoidTarget(own, targets, implied, held);
    if (typeof target === 'string') holdPayments(held, target, own);
    else {
      const { payment, capture } = target;
      targeted.set(payment, [...(targeted.get(payment) ?? []), { notices: own, capture }]);
    }
  }
  return payments.map((payment) => applyVoids(payment, targeted.get(payment) ?? [], held));
}

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
  notices: readonly StoredPaymentNotice[],
  known: ReadonlyMap<string, VoidTarget>,
  implied: ImpliedPayment,
  held: readonly HeldRecord[],
): VoidTarget | HeldRecord['hold'] {
  const [target, ...others] = targetsOf(notices);
  const isOfOneKind = notices.every(({ record }) => record === notices[0]?.record);
  if (others.length > 0 || !isOfOneKind) return 'contradictory';
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
  const candidates =
    voids.length === 0 ? [] : [...captures].map(([id, own]) => toVoidCandidate(id, own));
  let voided: VoidState | null = null;
  const records = [...sources, ...[...captures.values()].flat()];
  // Voids that target a capture come first, so that the others choose among the remaining captures.
  const exactFirst = voids.toSorted(
    (a, b) => Number(b.capture !== undefined) - Number(a.capture !== undefined),
  );
  for (const { notices, capture } of exactFirst) {
    const record = notices[0]?.record;
    const isOfPayment = voidsPayment(record, capture, captures.size);
    const chosen = () => chooseTarget(notices, candidates, (id) => voidedCaptures.has(id));
    const cancelled = isOfPayment
      ? cancelledWithPayment(record, notices, sources, candidates)
      : (capture ?? chosen());
    if (cancelled === undefined) {
      holdPayments(held, 'no-target', notices);
      continue;
    }
    records.push(...notices);
    const state = voidStateOf(notices);
    if (state === null) continue;
    for (const id of [cancelled].flat()) {
      if (voidedCaptures.get(id) !== 'done') voidedCaptures.set(id, state);
    }
    if (isOfPayment && voided !== 'done') voided = state;
  }
  const placed = [...captures].sort(oldestFirst).map(([id, own]) => ({
    pspId: id,
    notices: own,
    voided: voidedCaptures.get(id) ?? null,
  }));
  return { pspId, records, captures: placed, voided };
}

/**
 * The captures that are cancelled together with the payment; undefined if it cannot be. The void of an authorisation
 * releases its uncaptured rest, the void of a payment cancels all of it.
 */
function cancelledWithPayment(
  record: StoredPaymentNotice['record'],
  notices: readonly StoredPaymentNotice[],
  sources: readonly StoredPaymentNotice[],
  candidates: readonly VoidCandidate[],
): readonly string[] | undefined {
  if (record === 'void-authorization') return [];
  if (record === 'void-capture') return isOneStep(sources) ? [] : undefined;
  const at = recordedAt(notices);
  return candidates.filter((capture) => capture.recordedAt <= at).map(({ pspId }) => pspId);
}
