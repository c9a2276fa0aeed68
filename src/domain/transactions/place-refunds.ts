/** Which records are refunds of their own, which are not applied, and which refunds were voided. */
import {
  chooseTarget,
  type HeldRecord,
  type OnlyPayment,
  type OpenPayment,
  oldestFirst,
  ownId,
  type PlacedRefund,
  targetsOf,
} from './records.ts';
import type { StoredRefundNotice } from './transaction.ts';

/** `wholeOf`: the provider's id of a refund that was started here, for the id of each of its parts. */
export function placeRefunds(
  payments: readonly OpenPayment[],
  notices: readonly StoredRefundNotice[],
  wholeOf: ReadonlyMap<string, string>,
  only: OnlyPayment,
  held: HeldRecord[],
): PlacedRefund[] {
  const voids = notices.filter(({ record }) => record === 'void');
  const plain = notices.filter(({ record }) => record !== 'void');
  const refunds = new Map<string, StoredRefundNotice[]>();
  for (const [pspId, own] of Map.groupBy(plain, ownId)) {
    const whole = wholeOf.get(pspId);
    const reason = whole === undefined ? whyHeld(own, payments, only) : undefined;
    if (reason) held.push(...own.map((refund) => ({ hold: reason, refund })));
    else refunds.set(whole ?? pspId, [...(refunds.get(whole ?? pspId) ?? []), ...own]);
  }
  const voided = placeRefundVoids(refunds, voids, held);
  return [...refunds].map(([pspId, records]) => {
    const own = voided.get(pspId);
    return {
      pspId,
      records: [...records, ...(own?.records ?? [])],
      voidedPspIds: own && own.pspIds.size > 0 ? [...own.pspIds].sort() : null,
    };
  });
}

/** Contract 4.9: a refund that names no payment, where there are several, is applied to none. */
function whyHeld(
  notices: readonly StoredRefundNotice[],
  payments: readonly OpenPayment[],
  only: OnlyPayment,
): HeldRecord['hold'] | undefined {
  const targets = notices.flatMap(({ paymentPspId }) => paymentPspId ?? []);
  if (targets.length === 0) return only === 'ambiguous' ? only : undefined;
  const ofRelease = (target: string) =>
    payments.some((payment) => payment.pspId === target && isReleased(payment));
  return targets.every(ofRelease) ? 'release' : undefined;
}

/** Contract 4.8: given back by itself without ever being captured. */
function isReleased({ sources }: OpenPayment): boolean {
  return (
    sources.some(({ isRelease }) => isRelease) &&
    !sources.some(({ status }) => status === 'succeeded')
  );
}

type VoidedRefund = { readonly records: StoredRefundNotice[]; readonly pspIds: Set<string> };

function placeRefundVoids(
  refunds: ReadonlyMap<string, readonly StoredRefundNotice[]>,
  voids: readonly StoredRefundNotice[],
  held: HeldRecord[],
): Map<string, VoidedRefund> {
  const placed = new Map<string, VoidedRefund>();
  const isVoided = (pspId: string) => [...placed.values()].some(({ pspIds }) => pspIds.has(pspId));
  const hold = (own: readonly StoredRefundNotice[], reason: HeldRecord['hold']) =>
    held.push(...own.map((refund) => ({ hold: reason, refund })));
  const records = [...refunds].flatMap(([whole, own]) =>
    [...Map.groupBy(own, ownId)].map(([pspId, notices]) => ({ whole, pspId, notices })),
  );
  const byId = [...Map.groupBy(voids, ownId)].sort(oldestFirst);
  const isNamed = (own: readonly StoredRefundNotice[]) => Number(targetsOf(own).length > 0);
  // Those that name a refund come first, so that the others choose among what is left.
  const exactFirst = byId.toSorted(([, a], [, b]) => isNamed(b) - isNamed(a));
  for (const [, own] of exactFirst) {
    const [named, ...others] = targetsOf(own);
    const target =
      named ??
      chooseRefund(
        own,
        records.filter(({ pspId }) => !isVoided(pspId)),
      );
    const record = records.find(({ pspId }) => pspId === target);
    if (others.length > 0) hold(own, 'contradictory');
    else if (!record) hold(own, heldWith(target, held) ?? 'no-target');
    else {
      const entry = placed.get(record.whole) ?? { records: [], pspIds: new Set() };
      placed.set(record.whole, entry);
      entry.records.push(...own);
      if (own.some(({ status }) => status === 'succeeded')) entry.pspIds.add(record.pspId);
    }
  }
  return placed;
}

type RefundRecord = { readonly pspId: string; readonly notices: readonly StoredRefundNotice[] };

/** One that was made, rather than one that is pending; never one that failed. */
function chooseRefund(
  notices: readonly StoredRefundNotice[],
  records: readonly RefundRecord[],
): string | undefined {
  const having = (status: StoredRefundNotice['status']) =>
    records
      .filter((record) => record.notices.some((notice) => notice.status === status))
      .map((record) => [record.pspId, record.notices] as const);
  const made = having('succeeded');
  const isFailed = new Set(having('failed').map(([pspId]) => pspId));
  const pending = having('pending').filter(([pspId]) => !isFailed.has(pspId));
  return chooseTarget(notices, made.length > 0 ? made : pending);
}

/** The void of a refund that is held is held with it. */
function heldWith(target: string | undefined, held: readonly HeldRecord[]) {
  return held.find((entry) => 'refund' in entry && entry.refund.pspTransactionId === target)?.hold;
}
