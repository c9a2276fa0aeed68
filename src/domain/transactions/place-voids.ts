/** Which capture or payment each void takes back. Contract 4.9. */
import {
  chooseTarget,
  type HeldRecord,
  highestStatus,
  type OnlyPayment,
  type OpenPayment,
  oldestFirst,
  ownId,
  type PlacedPayment,
  recordedAt,
  targetsOf,
} from './records.ts';
import type { StoredPaymentNotice, VoidState } from './transaction.ts';

export function placeVoids(
  payments: readonly OpenPayment[],
  notices: readonly StoredPaymentNotice[],
  only: OnlyPayment,
  held: HeldRecord[],
): PlacedPayment[] {
  const targeted = new Map<OpenPayment, TargetedVoid[]>();
  for (const entry of readVoids(notices)) {
    const target = findVoidTarget(entry, payments, only, held);
    if (typeof target === 'string') {
      held.push(...entry.notices.map((payment) => ({ hold: target, payment })));
    } else {
      const own = targeted.get(target.payment) ?? [];
      targeted.set(target.payment, [...own, { ...entry, capture: target.capture }]);
    }
  }
  return payments.map((payment) => applyVoids(payment, targeted.get(payment) ?? [], held));
}

/** One void, however often it was reported. */
type Void = {
  readonly notices: readonly StoredPaymentNotice[];
  readonly records: readonly StoredPaymentNotice['record'][];
  readonly targets: readonly string[];
  /** Null for one that failed and took nothing back. */
  readonly state: VoidState | null;
};

type TargetedVoid = Void & { readonly capture: string | undefined };

/** Oldest first. */
function readVoids(notices: readonly StoredPaymentNotice[]): Void[] {
  return [...Map.groupBy(notices, ownId)].sort(oldestFirst).map(([, own]) => ({
    notices: own,
    records: [...new Set(own.map(({ record }) => record))],
    targets: targetsOf(own),
    state: stateOf(own),
  }));
}

/** One that was pending and failed took nothing back. */
function stateOf(notices: readonly StoredPaymentNotice[]): VoidState | null {
  const said = new Set(notices.map(({ status }) => status));
  if (said.has('reversed')) return 'done';
  return said.has('new') ? null : 'pending';
}

type VoidTarget = { readonly payment: OpenPayment; readonly capture: string | undefined };

function findVoidTarget(
  { targets, records }: Void,
  payments: readonly OpenPayment[],
  only: OnlyPayment,
  held: readonly HeldRecord[],
): VoidTarget | HeldRecord['hold'] {
  const [target] = targets;
  if (targets.length > 1 || records.length > 1) return 'contradictory';
  if (target === undefined) {
    return typeof only === 'string' ? only : { payment: only, capture: undefined };
  }
  const ofCapture = payments.find(({ captures }) => captures.has(target));
  if (ofCapture) return { payment: ofCapture, capture: target };
  const named = payments.find(({ pspId }) => pspId === target);
  if (named) return { payment: named, capture: undefined };
  // The void of a capture that is held is held with it.
  const capture = held.find(
    (entry) =>
      'payment' in entry &&
      entry.payment.record === 'capture' &&
      entry.payment.pspTransactionId === target,
  );
  return capture?.hold ?? 'no-target';
}

function applyVoids(
  payment: OpenPayment,
  voids: readonly TargetedVoid[],
  held: HeldRecord[],
): PlacedPayment {
  const { pspId, sources, captures } = payment;
  const voidedCaptures = new Map<string, VoidState>();
  const voidCapture = (id: string, state: VoidState) => {
    if (voidedCaptures.get(id) !== 'done') voidedCaptures.set(id, state);
  };
  let voided: VoidState | null = null;
  const records = [...sources, ...[...captures.values()].flat()];
  // Those that name a capture come first, so that the others choose among what is left.
  const exactFirst = voids.toSorted(
    (a, b) => Number(b.capture !== undefined) - Number(a.capture !== undefined),
  );
  for (const entry of exactFirst) {
    const { notices, state } = entry;
    const target = targetOf(entry, payment, voidedCaptures);
    if (target === 'no-target') {
      held.push(...notices.map((notice) => ({ hold: target, payment: notice })));
      continue;
    }
    records.push(...notices);
    if (state === null) continue;
    for (const id of target.captures) voidCapture(id, state);
    if (target.isPayment && voided !== 'done') voided = state;
  }
  const placed = [...captures].sort(oldestFirst).map(([id, own]) => ({
    pspId: id,
    notices: own,
    voided: voidedCaptures.get(id) ?? null,
  }));
  return { pspId, records, captures: placed, voided };
}

type Target = { readonly isPayment: boolean; readonly captures: readonly string[] };

/** The authorisation's void releases what is left of it; a payment's void takes all of it back. */
function targetOf(
  { capture, records: [record], notices }: TargetedVoid,
  { captures, sources }: OpenPayment,
  voided: ReadonlyMap<string, VoidState>,
): Target | 'no-target' {
  if (capture !== undefined) return { isPayment: false, captures: [capture] };
  switch (record) {
    case 'void-authorization':
      return { isPayment: true, captures: [] };
    case 'void-capture': {
      // A payment that was made in one step has no captures; to void its capture is to void it.
      const isOneStep = captures.size === 0 && highestStatus(sources) === 'succeeded';
      if (isOneStep) return { isPayment: true, captures: [] };
      const having = (status: string) =>
        [...captures].filter(([id, own]) => !voided.has(id) && highestStatus(own) === status);
      // One that took money, rather than one that is pending; never one that failed.
      const taken = having('succeeded');
      const chosen = chooseTarget(notices, taken.length > 0 ? taken : having('pending'));
      return chosen === undefined ? 'no-target' : { isPayment: false, captures: [chosen] };
    }
    default: {
      const before = [...captures].filter(([, own]) => recordedAt(own) <= recordedAt(notices));
      return { isPayment: true, captures: before.map(([id]) => id) };
    }
  }
}
