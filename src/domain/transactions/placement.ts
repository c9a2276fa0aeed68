/**
 * Which payment or refund each record of a provider belongs to. The records of one group (all of one
 * provider order, or one payment with its refunds) are placed together and from nothing each
 * time, so the result depends on the set of records and never on their order of arrival. Contract 4.9.
 */
import { placeRefunds } from './place-refunds.ts';
import { placeVoids } from './place-voids.ts';
import {
  type GroupRecords,
  type HeldRecord,
  highestStatus,
  type OnlyPayment,
  type OpenPayment,
  oldestFirst,
  ownId,
  type PlacedPayment,
  type PlacedRefund,
  targetsOf,
} from './records.ts';
import type { StoredPaymentNotice } from './transaction.ts';

export type Placement = {
  readonly payments: readonly PlacedPayment[];
  readonly refunds: readonly PlacedRefund[];
  readonly held: readonly HeldRecord[];
};

/** `wholeOf`: the provider's id of a refund that was started here, for the id of each of its parts. */
export function placeRecords(
  { payments: notices, refunds }: GroupRecords,
  wholeOf: ReadonlyMap<string, string>,
): Placement {
  const held: HeldRecord[] = [];
  const payments = placeCaptures(notices, held);
  const only = onlyPayment(payments);
  const voids = notices.filter(({ record }) => record?.startsWith('void'));
  return {
    payments: placeVoids(payments, voids, only, held),
    refunds: placeRefunds(payments, refunds, wholeOf, only, held),
    held,
  };
}

/** Each authorisation or payment with its captures. */
function placeCaptures(notices: readonly StoredPaymentNotice[], held: HeldRecord[]): OpenPayment[] {
  const ofRecord = (record: StoredPaymentNotice['record']) =>
    Map.groupBy(
      notices.filter((notice) => notice.record === record),
      ownId,
    );
  const sources = ofRecord(undefined);
  const captures = ofRecord('capture');
  const payments = new Map<string, OpenPayment>();
  const open = (pspId: string): OpenPayment => {
    const payment = payments.get(pspId) ?? {
      pspId,
      sources: sources.get(pspId) ?? [],
      captures: new Map(),
    };
    payments.set(pspId, payment);
    return payment;
  };
  for (const pspId of sources.keys()) open(pspId);

  const untargeted: Array<[string, StoredPaymentNotice[]]> = [];
  for (const [pspId, own] of captures) {
    const [target, ...others] = targetsOf(own);
    if (others.length > 0 || sources.has(pspId)) {
      held.push(...own.map((payment) => ({ hold: 'contradictory', payment }) as const));
    } else if (target === undefined || captures.has(target)) {
      // A capture is no authorisation: one that names a capture names no payment.
      untargeted.push([pspId, own]);
    } else open(target).captures.set(pspId, own);
  }
  placeUntargeted([...payments.values()], untargeted.sort(oldestFirst), open, held);
  return [...payments.values()];
}

/**
 * Captures without a target belong to the only payment that did not fail. Where none is known yet they
 * are a payment by themselves: the money was taken, whether its authorisation was reported or not.
 */
function placeUntargeted(
  payments: readonly OpenPayment[],
  captures: ReadonlyArray<readonly [string, StoredPaymentNotice[]]>,
  open: (pspId: string) => OpenPayment,
  held: HeldRecord[],
): void {
  const [first] = captures;
  if (!first) return;
  const only = onlyPayment(payments);
  if (only === 'ambiguous') {
    const notices = captures.flatMap(([, own]) => own);
    held.push(...notices.map((payment) => ({ hold: only, payment })));
    return;
  }
  const payment = only === 'no-target' ? open(first[0]) : only;
  for (const [pspId, own] of captures) payment.captures.set(pspId, own);
}

function onlyPayment(payments: readonly OpenPayment[]): OnlyPayment {
  const [only, ...others] = payments.filter((payment) => !hasFailed(payment));
  if (others.length > 0) return 'ambiguous';
  return only ?? 'no-target';
}

function hasFailed({ sources, captures }: OpenPayment): boolean {
  if (sources.length === 0) return false;
  const isCaptured = [...captures.values()].flat().some(({ status }) => status === 'succeeded');
  return !isCaptured && highestStatus(sources) === 'failed';
}
