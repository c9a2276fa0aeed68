/** Describes what needs manual review: the reason, an advice, and since when. Leaves out what is resolved. */
import type { HistoryEntry } from '../../domain/history.ts';
import { flagIdOf } from '../../domain/inbox/review.ts';
import {
  adviceFor,
  deliveryFlags,
  type ReviewFlag,
  type ReviewReason,
} from '../../domain/review-flag.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { type DisputeToReview, keyOfDispute } from '../../store/disputes/disputes.ts';
import {
  type DeliveryToReview,
  type Flagged,
  listFlagsOfOrders,
} from '../../store/inbox/review.ts';
import { listResolutions } from '../../store/inbox/review-resolutions.ts';
import { listHistoryOfOrders } from '../../store/orders/history.ts';

export type ReviewEntry = {
  readonly id: string;
  readonly kind: 'delivery' | 'flag' | 'dispute';
  readonly accountId: string;
  readonly orderId: string | null;
  readonly transactionId: string | null;
  readonly reasons: readonly ReviewReason[];
  /** What a delivery says about itself; null for a flag. */
  readonly why: string | null;
  /** The reasons in one line. */
  readonly reason: string;
  readonly advice: string;
  readonly since: Date;
  /** What is claimed, and until when the provider accepts an answer. */
  readonly dispute?: Pick<DisputeToReview, 'disputeId' | 'amount' | 'currency' | 'respondBy'>;
};

/** Skips a delivery if its order has all of its flags: the flags are listed separately, or are resolved. */
export async function describeDeliveries(database: Database, page: readonly DeliveryToReview[]) {
  const entries: ReviewEntry[] = [];
  for (const [accountId, own] of Map.groupBy(page, (entry) => entry.accountId)) {
    const orderIds = own.flatMap(({ orderId }) => orderId ?? []);
    const flagged = await listFlagsOfOrders(database, accountId, orderIds);
    const findResolution = await readResolutions(database, accountId, flagged);
    for (const delivery of own) {
      const { orderId, since, state } = delivery;
      const ofOrder = flagged.filter((entry) => entry.orderId === orderId);
      const flags = delivery.flags.filter((flag) => {
        const raised = ofOrder.filter((entry) => entry.flags.includes(flag));
        // The order may have lost the flag, for example after a voided payment was captured again.
        if (raised.length === 0) return orderId === null || deliveryFlags.has(flag);
        // It is listed separately, unless it was resolved before the delivery arrived.
        return raised.every((entry) => (findResolution(entry, flag)?.at ?? since) < since);
      });
      if (state === 'dead' || flags.length > 0 || delivery.flags.length === 0) {
        entries.push(describeDelivery(delivery, flags));
      }
    }
  }
  return entries;
}

function describeDelivery(delivery: DeliveryToReview, flags: readonly ReviewFlag[]): ReviewEntry {
  const { deliveryId: id, accountId, orderId, why, since, state } = delivery;
  const of = { id, kind: 'delivery', accountId, orderId, transactionId: null } as const;
  const entry = { ...of, why, since };
  if (state === 'dead') {
    const reason = ['dead', why].filter(Boolean).join(': ');
    return { ...entry, ...explained(['dead']), reason };
  }
  if (flags.length > 0) return { ...entry, ...explained(flags) };
  return { ...entry, ...explained(['needs_review']), reason: why ?? state };
}

function explained(reasons: readonly ReviewReason[]) {
  return { reasons, reason: reasons.join(', '), advice: adviceFor(reasons) };
}

export async function describeFlags(database: Database, page: readonly Flagged[]) {
  const entries: ReviewEntry[] = [];
  const allOpen = await listOpenFlags(database, page);
  for (const [accountId, open] of Map.groupBy(allOpen, ({ entry }) => entry.accountId)) {
    const orderIds = [...new Set(open.map(({ entry }) => entry.orderId))];
    const histories = await listHistoryOfOrders(database, accountId, orderIds);
    for (const { entry, flag } of open) {
      const { orderId, transactionId, happenedAt } = entry;
      entries.push({
        id: flagIdOf({ accountId, subject: subjectOf(entry), flag }),
        kind: 'flag',
        accountId,
        orderId,
        transactionId,
        why: null,
        ...explained([flag]),
        since: findRaised(histories.get(orderId) ?? [], transactionId, flag) ?? happenedAt,
      });
    }
  }
  return entries;
}

/** The flags that are not resolved. */
export async function listOpenFlags(database: Database, page: readonly Flagged[]) {
  const found: { readonly entry: Flagged; readonly flag: ReviewFlag }[] = [];
  for (const [accountId, own] of Map.groupBy(page, (entry) => entry.accountId)) {
    const findResolution = await readResolutions(database, accountId, own);
    for (const entry of own) {
      const open = entry.flags.filter((flag) => !findResolution(entry, flag));
      found.push(...open.map((flag) => ({ entry, flag })));
    }
  }
  return found;
}

/** They close by themselves, so none is resolved. Contract 17.5. */
export async function describeDisputes(_database: Database, page: readonly DisputeToReview[]) {
  return page.map((entry): ReviewEntry => {
    const { accountId, orderId, transactionId, since, ...dispute } = entry;
    const { disputeId, amount, currency, respondBy } = dispute;
    const claim = { disputeId, amount, currency, respondBy };
    const id = `${accountId}/${keyOfDispute(entry)}`;
    const about = { id, kind: 'dispute', accountId, orderId, transactionId } as const;
    return { ...about, why: null, ...explained(['dispute_open']), since, dispute: claim };
  });
}

/** When the flag was last raised. Undefined if that part of the history was pruned. */
function findRaised(
  history: readonly HistoryEntry[],
  transactionId: string | null,
  flag: ReviewFlag,
): Date | undefined {
  const has = (flags: unknown) => Array.isArray(flags) && flags.includes(flag);
  return history.findLast(
    (entry) =>
      entry.transactionId === transactionId &&
      entry.changes.some(({ field, from, to }) => field === 'flags' && has(to) && !has(from)),
  )?.happenedAt;
}

type Subject = Pick<Flagged, 'orderId' | 'transactionId'>;

export function subjectOf({ orderId, transactionId }: Subject): string {
  return transactionId ?? orderId;
}

/** Returns a function that finds the resolution of a flag. */
export async function readResolutions(
  database: Queryable,
  accountId: string,
  flagged: readonly Subject[],
) {
  const closed = await listResolutions(database, accountId, flagged.map(subjectOf));
  return (entry: Subject, flag: ReviewFlag) =>
    closed.find((other) => other.subject === subjectOf(entry) && other.flag === flag);
}
