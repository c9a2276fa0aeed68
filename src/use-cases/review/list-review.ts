/** Lists and counts everything that needs manual review and is not resolved: deliveries, and flags. Contract 13.6. */

import { refuseField } from '../../domain/errors.ts';
import type { Database } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { countDeliveriesOfState } from '../../store/inbox/attention.ts';
import {
  type Flagged,
  listDeliveriesToReview,
  listFlaggedOrders,
  listFlaggedTransactions,
  type ReviewPage,
} from '../../store/inbox/review.ts';
import {
  describeDeliveries,
  describeFlags,
  listOpenFlags,
  type ReviewEntry,
  subjectOf,
} from './describe-review.ts';

export type { ReviewEntry };

type ReviewQuery = {
  /** Undefined for all accounts. */
  readonly accountId?: string | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  /** Rows to read at most; a row with several flags has several entries. */
  readonly limit: number;
};

type ReviewPageRead = {
  readonly entries: readonly ReviewEntry[];
  /** Where the next page starts; undefined after the last one. */
  readonly next?: string;
};

type Row = { readonly accountId: string };
type List = {
  readonly name: string;
  readonly read: (
    database: Database,
    page: ReviewPage,
  ) => Promise<{
    readonly last: (Row & { readonly id: string }) | undefined;
    readonly count: number;
    readonly entries: ReviewEntry[];
  }>;
};

/** Dead deliveries come last: those of other businesses may be many. */
const lists: readonly List[] = [
  listOf(
    'needs_review',
    (database, page) => listDeliveriesToReview(database, 'needs_review', page),
    describeDeliveries,
    (row) => row.deliveryId,
  ),
  listOf('orders', listFlaggedOrders, describeFlags, subjectOf),
  listOf('transactions', listFlaggedTransactions, describeFlags, subjectOf),
  listOf(
    'dead',
    (database, page) => listDeliveriesToReview(database, 'dead', page),
    describeDeliveries,
    (row) => row.deliveryId,
  ),
];

function listOf<Entry extends Row>(
  name: string,
  list: (database: Database, page: ReviewPage) => Promise<Entry[]>,
  describe: (database: Database, rows: readonly Entry[]) => Promise<ReviewEntry[]>,
  idOf: (row: Entry) => string,
): List {
  return {
    name,
    read: async (database, page) => {
      const rows = await list(database, page);
      const last = rows.at(-1);
      return {
        count: rows.length,
        last: last && { accountId: last.accountId, id: idOf(last) },
        entries: await describe(database, rows),
      };
    },
  };
}

/** Reads one page. Undefined if `after` is not the `next` of a page. */
export async function listReview(
  { database }: Pick<Services, 'database'>,
  { accountId, after, limit }: ReviewQuery,
): Promise<ReviewPageRead | undefined> {
  const start = after === undefined ? { list: 0, row: undefined } : findStart(after);
  if (!start) return undefined;
  const entries: ReviewEntry[] = [];
  let rowsLeft = limit;
  for (const [index, { name, read }] of lists.entries()) {
    if (index < start.list) continue;
    if (rowsLeft === 0) return { entries, next: `${name}:` };
    const row = index === start.list ? start.row : undefined;
    const page = await read(database, { accountId, after: row, limit: rowsLeft });
    entries.push(...page.entries);
    const isFull = page.count === rowsLeft;
    rowsLeft -= page.count;
    if (isFull && page.last)
      return { entries, next: `${name}:${page.last.accountId}/${page.last.id}` };
  }
  return { entries };
}

function findStart(after: string) {
  const [, name, accountId = '', id = ''] = /^(\w+):(?:([^/]+)\/(.+))?$/.exec(after) ?? [];
  const list = lists.findIndex((one) => one.name === name);
  return list < 0 ? undefined : { list, row: id === '' ? undefined : { accountId, id } };
}

/** Lists what needs a person in one account, for the dashboard. Contract 13.6. */
type OpenReviewQuery = {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  /** Rows to read at a time; a row with several flags has several entries. */
  readonly limit: number;
};

/** Deliveries whose flags are listed with their orders have no entry, so many rows may have none. */
const emptyReadsMax = 20;

export async function listOpenReview(
  { database }: Pick<Services, 'database'>,
  accountId: string,
  { after, limit }: OpenReviewQuery,
): Promise<ReviewPageRead> {
  let start = after;
  for (let reads = 1; ; reads += 1) {
    const page = await listReview({ database }, { accountId, after: start, limit });
    if (!page) refuseField('after', 'must be the next of a page');
    const { entries, next } = page;
    if (entries.length > 0 || next === undefined || reads === emptyReadsMax) return page;
    start = next;
  }
}

/**
 * Counts what the review of an account lists, up to a limit. The list and the overview show this one number. A count,
 * which is a minimum if there are more.
 */
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
