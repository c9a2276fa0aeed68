/** Lists and counts everything that needs manual review and is not resolved: deliveries, and flags. Contract 13.6. */
import { countMax, limited } from '../../domain/reports/limited-count.ts';
import type { Database } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { keyOfDispute, listDisputesToReview } from '../../store/disputes/disputes.ts';
import { countDeliveriesOfState } from '../../store/inbox/attention.ts';
import {
  listDeliveriesToReview,
  listFlaggedOrders,
  listFlaggedTransactions,
  type ReviewPage,
} from '../../store/inbox/review.ts';
import {
  describeDeliveries,
  describeDisputes,
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
  /** Rows to read at a time; a row with several flags has several entries. */
  readonly limit: number;
  /** Only what is open since then. */
  readonly since?: Date | undefined;
};

/** Deliveries whose flags are listed with their orders have no entry, so many rows may have none. */
const emptyReadsMax = 20;

/** Reads one page. Undefined if `after` is not the `next` of a page. */
export async function listReview(
  { database }: Pick<Services, 'database'>,
  { since, ...query }: ReviewQuery,
) {
  let { after } = query;
  for (let reads = 1; ; reads += 1) {
    const page = await readPage(database, { ...query, after });
    if (!page) return undefined;
    const { next } = page;
    const entries = page.entries.filter((entry) => since === undefined || entry.since >= since);
    if (entries.length > 0 || next === undefined || reads === emptyReadsMax) {
      return { entries, next };
    }
    after = next;
  }
}

/** Deadlines come first, and dead deliveries last: those of other businesses may be many. */
const lists = [
  listOf('disputes', listDisputesToReview, keyOfDispute, describeDisputes),
  deliveriesOf('needs_review'),
  listOf('orders', listFlaggedOrders, subjectOf, describeFlags, listOpenFlags),
  listOf('transactions', listFlaggedTransactions, subjectOf, describeFlags, listOpenFlags),
  deliveriesOf('dead'),
];

function deliveriesOf(state: 'needs_review' | 'dead') {
  return listOf(
    state,
    (database, page) => listDeliveriesToReview(database, state, page),
    ({ deliveryId }) => deliveryId,
    describeDeliveries,
  );
}

function listOf<Row extends { readonly accountId: string }>(
  name: string,
  list: (database: Database, page: ReviewPage) => Promise<Row[]>,
  idOf: (row: Row) => string,
  describe: (database: Database, rows: readonly Row[]) => Promise<ReviewEntry[]>,
  listOpen: (database: Database, rows: readonly Row[]) => Promise<readonly unknown[]> = describe,
) {
  return {
    name,
    read: async (database: Database, page: ReviewPage) => {
      const rows = await list(database, page);
      const last = rows.at(-1);
      return {
        count: rows.length,
        last: last && { accountId: last.accountId, id: idOf(last) },
        describe: () => describe(database, rows),
        countOpen: async () => (await listOpen(database, rows)).length,
      };
    },
  };
}

async function readPage(
  database: Database,
  { accountId, after, limit }: Omit<ReviewQuery, 'since'>,
): Promise<{ readonly entries: readonly ReviewEntry[]; readonly next?: string } | undefined> {
  const start = after === undefined ? { list: 0, row: undefined } : findStart(after);
  if (!start) return undefined;
  const entries: ReviewEntry[] = [];
  let page = { accountId, after: start.row, limit };
  for (const { name, read } of lists.slice(start.list)) {
    if (page.limit === 0) return { entries, next: `${name}:` };
    const { count, last, describe } = await read(database, page);
    entries.push(...(await describe()));
    if (count === page.limit && last) {
      return { entries, next: `${name}:${last.accountId}/${last.id}` };
    }
    page = { accountId, after: undefined, limit: page.limit - count };
  }
  return { entries };
}

function findStart(after: string) {
  const [, name, accountId = '', id = ''] = /^(\w+):(?:([^/]+)\/(.+))?$/.exec(after) ?? [];
  const list = lists.findIndex((one) => one.name === name);
  return list < 0 ? undefined : { list, row: id === '' ? undefined : { accountId, id } };
}

/** Resolved flags stay on their orders, so many rows may have no open one. */
const pageSize = 250;
const pagesMax = 4;

/** Counts what the review of an account lists, up to a limit. The list and the overview show this one number. */
export async function countReview({ database }: Pick<Services, 'database'>, accountId: string) {
  const counts = await Promise.all(
    lists.map(async (list) =>
      list.name === 'dead'
        ? limited(await countDeliveriesOfState(database, accountId, 'dead', countMax + 1))
        : countPages(database, accountId, list),
    ),
  );
  const sum = counts.reduce((total, { count }) => total + count, 0);
  const isMore = counts.some((entry) => entry.isMore);
  return limited(sum, isMore);
}

async function countPages(database: Database, accountId: string, { read }: (typeof lists)[number]) {
  let open = 0;
  let after: ReviewPage['after'];
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const { count, last, countOpen } = await read(database, { accountId, after, limit: pageSize });
    open += await countOpen();
    if (count < pageSize || open > countMax) return limited(open);
    after = last;
  }
  return limited(open, true);
}
