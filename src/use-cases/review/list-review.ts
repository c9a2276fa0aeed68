/** Lists everything that needs manual review and is not resolved: deliveries, and flags of orders and transactions. */
import type { Database } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import {
  listDeliveriesToReview,
  listFlaggedOrders,
  listFlaggedTransactions,
  type ReviewPage,
} from '../../store/inbox/review.ts';
import {
  describeDeliveries,
  describeFlags,
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

export type ReviewPageRead = {
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
