/** Describes what needs manual review: the reason, an advice, and since when. Leaves out what is resolved. */
import { flagIdOf } from '../../domain/inbox/review.ts';
import {
  adviceFor,
  deliveryFlags,
  type ReviewFlag,
  type ReviewReason,
} from '../../domain/review-flag.ts';
import type { Database } from '../../postgres/database.ts';
import {
  type DeliveryToReview,
  type Flagged,
  listFlagsOfOrders,
} from '../../store/inbox/review.ts';
import { listResolutions, type ResolvedFlag } from '../../store/inbox/review-resolutions.ts';
import { type HistoryEntry, listHistoryOfOrders } from '../../store/orders/history.ts';

export type ReviewEntry = {
  readonly id: string;
  readonly kind: 'delivery' | 'flag';
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
};

/** Skips a delivery if its order has all of its flags: the flags are listed separately, or are resolved. */
export async function describeDeliveries(
  database: Database,
  page: readonly DeliveryToReview[],
): Promise<ReviewEntry[]> {
  const entries: ReviewEntry[] = [];
  for (const [accountId, own] of Map.groupBy(page, (entry) => entry.accountId)) {
    const orderIds = own.flatMap(({ orderId }) => orderId ?? []);
    const flagged = await listFlagsOfOrders(database, accountId, orderIds);
    const closed = await listResolutions(database, accountId, flagged.map(subjectOf));
    for (const delivery of own) {
      const ofOrder = flagged.filter(({ orderId }) => orderId === delivery.orderId);
      const flags = delivery.flags.filter(
        (flag) =>
          !isGone(flag, delivery, ofOrder) &&
          !ofOrder.some((entry) => covers(entry, flag, delivery, closed)),
      );
      if (delivery.state === 'dead') entries.push(describeDead(delivery));
      else if (flags.length > 0 || delivery.flags.length === 0) {
        entries.push(describeDelivery(delivery, flags));
      }
    }
  }
  return entries;
}

/** True if the order does not have the flag any more, for example after a voided payment was captured again. */
function isGone(
  flag: ReviewFlag,
  { orderId }: DeliveryToReview,
  ofOrder: ReadonlyArray<Pick<Flagged, 'flags'>>,
): boolean {
  if (orderId === null || deliveryFlags.has(flag)) return false;
  return !ofOrder.some((entry) => entry.flags.includes(flag));
}

/** True if the flag is listed separately, or was resolved after the delivery arrived. */
function covers(
  entry: Pick<Flagged, 'orderId' | 'transactionId' | 'flags'>,
  flag: ReviewFlag,
  { since }: DeliveryToReview,
  closed: readonly ResolvedFlag[],
): boolean {
  if (!entry.flags.includes(flag)) return false;
  const subject = subjectOf(entry);
  const closing = closed.find((other) => other.subject === subject && other.flag === flag);
  return !closing || closing.at >= since;
}

function describeDead(delivery: DeliveryToReview): ReviewEntry {
  const reason = ['dead', delivery.why].filter(Boolean).join(': ');
  return { ...common(delivery), ...explained(['dead']), reason };
}

function describeDelivery(delivery: DeliveryToReview, flags: readonly ReviewFlag[]): ReviewEntry {
  if (flags.length > 0) return { ...common(delivery), ...explained(flags) };
  const reason = delivery.why ?? delivery.state;
  return { ...common(delivery), ...explained(['needs_review']), reason };
}

function explained(reasons: readonly ReviewReason[]) {
  return { reasons, reason: reasons.join(', '), advice: adviceFor(reasons) };
}

function common({ deliveryId, accountId, orderId, why, since }: DeliveryToReview) {
  return {
    id: deliveryId,
    kind: 'delivery',
    accountId,
    orderId,
    transactionId: null,
    why,
    since,
  } as const;
}

export async function describeFlags(
  database: Database,
  page: readonly Flagged[],
): Promise<ReviewEntry[]> {
  const entries: ReviewEntry[] = [];
  const openByAccount = Map.groupBy(
    await listOpenFlags(database, page),
    ({ entry }) => entry.accountId,
  );
  for (const [accountId, open] of openByAccount) {
    const orderIds = [...new Set(open.map(({ entry }) => entry.orderId))];
    const histories = await listHistoryOfOrders(database, accountId, orderIds);
    entries.push(
      ...open.map(({ entry, flag }) => describeFlag(entry, flag, histories.get(entry.orderId))),
    );
  }
  return entries;
}

type OpenFlag = { readonly entry: Flagged; readonly flag: ReviewFlag };

/** The flags that are not resolved. */
export async function listOpenFlags(
  database: Database,
  page: readonly Flagged[],
): Promise<OpenFlag[]> {
  const found: OpenFlag[] = [];
  for (const [accountId, own] of Map.groupBy(page, (entry) => entry.accountId)) {
    const closed = await listResolutions(database, accountId, own.map(subjectOf));
    const isClosed = (subject: string, flag: ReviewFlag) =>
      closed.some((entry) => entry.subject === subject && entry.flag === flag);
    found.push(
      ...own.flatMap((entry) =>
        entry.flags
          .filter((flag) => !isClosed(subjectOf(entry), flag))
          .map((flag) => ({ entry, flag })),
      ),
    );
  }
  return found;
}

function describeFlag(
  flagged: Flagged,
  flag: ReviewFlag,
  history: readonly HistoryEntry[] = [],
): ReviewEntry {
  const { accountId, orderId, transactionId, happenedAt } = flagged;
  return {
    id: flagIdOf({ accountId, subject: subjectOf(flagged), flag }),
    kind: 'flag',
    accountId,
    orderId,
    transactionId,
    why: null,
    ...explained([flag]),
    since: findRaised(history, transactionId, flag) ?? happenedAt,
  };
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

export function subjectOf({
  orderId,
  transactionId,
}: Pick<Flagged, 'orderId' | 'transactionId'>): string {
  return transactionId ?? orderId;
}
