/** Counts what the review of an account lists, up to a limit. The list and the overview show this one number. */
import type { Services } from '../../services/services.ts';
import { countDeliveriesOfState } from '../../store/inbox/attention.ts';
import {
  type Flagged,
  listDeliveriesToReview,
  listFlaggedOrders,
  listFlaggedTransactions,
  type ReviewPage,
} from '../../store/inbox/review.ts';
import { describeDeliveries, listOpenFlags, subjectOf } from './describe-review.ts';

/** A count, which is a minimum if there are more. */
export type LimitedCount = { readonly count: number; readonly isMore: boolean };

export const countMax = 200;
/** Resolved flags stay on their orders, so many rows may have no open one. */
const pageSize = 250;
const pagesMax = 4;

export async function countReview(
  { database }: Pick<Services, 'database'>,
  accountId: string,
): Promise<LimitedCount> {
  const countFlags = async (rows: readonly Flagged[]) =>
    (await listOpenFlags(database, rows)).length;
  const counts = await Promise.all([
    countPages(accountId, (page) => listFlaggedOrders(database, page), subjectOf, countFlags),
    countPages(accountId, (page) => listFlaggedTransactions(database, page), subjectOf, countFlags),
    countPages(
      accountId,
      (page) => listDeliveriesToReview(database, 'needs_review', page),
      ({ deliveryId }) => deliveryId,
      async (rows) => (await describeDeliveries(database, rows)).length,
    ),
    countDeliveriesOfState(database, accountId, 'dead', countMax + 1).then((dead) => limited(dead)),
  ]);
  const sum = counts.reduce((total, { count }) => total + count, 0);
  return limited(
    sum,
    counts.some(({ isMore }) => isMore),
  );
}

export function limited(count: number, isMore = false): LimitedCount {
  return { count: Math.min(count, countMax), isMore: isMore || count > countMax };
}

async function countPages<Row extends { readonly accountId: string }>(
  accountId: string,
  list: (page: ReviewPage) => Promise<Row[]>,
  idOf: (row: Row) => string,
  countOpen: (rows: readonly Row[]) => Promise<number>,
): Promise<LimitedCount> {
  let count = 0;
  let after: ReviewPage['after'];
  for (let page = 0; page < pagesMax; page += 1) {
    const rows = await list({ accountId, after, limit: pageSize });
    count += await countOpen(rows);
    const last = rows.at(-1);
    if (!last || rows.length < pageSize || count > countMax) return limited(count);
    after = { accountId, id: idOf(last) };
  }
  return limited(count, true);
}
