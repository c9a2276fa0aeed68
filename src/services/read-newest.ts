/**
 * Reads a page of the newest rows of one account or of all, whatever they are. Rows of several accounts are merged by the
 * time in their ids. A page looks at a limited number of rows and accounts, however many there are.
 */
import type { Database } from '../postgres/database.ts';
import { listAccountIds } from '../store/accounts/accounts.ts';
import type { AccountKey } from '../store/inbox/newest.ts';

export type NewestQuery = {
  /** The id of the `next` of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
};

export type NewestList<Row> = {
  /** Keys of all accounts are comparable. */
  readonly keyOf: (row: Row) => string;
  /** The key of the newest row of each account. */
  readonly listHighest: (before: string | undefined) => Promise<AccountKey[]>;
  readonly read: (
    accountId: string,
    range: { readonly before: string | undefined; readonly limit: number },
  ) => Promise<Row[]>;
  /** Leaves out rows that no index can leave out. */
  readonly isWanted: (row: Row) => boolean;
};

export type NewestPage<Row> = {
  readonly rows: readonly Row[];
  /** The last row that was looked at, if there are more behind it. */
  readonly next: Row | undefined;
};

/** What is known of the database before the first row is read. */
export type NewestScope = {
  readonly accountIds: readonly string[];
};

export async function findScope(
  database: Database,
  accountId: string | undefined,
): Promise<NewestScope> {
  return {
    accountIds: accountId === undefined ? await listAccountIds(database) : [accountId],
  };
}

/** A page that ends at one of these limits may have few rows, and still has a next one. */
const rowsLookedAtMax = 20_000;
const readsMax = 1_000;

/** Most accounts contribute few rows to a page, so little is read of each where there are several. */
const rowsPerRead = { one: 500, several: 20 };

/** The rows of one account that are not on the page yet. */
type Source<Row> = {
  readonly accountId: string;
  /** The key of the first one. */
  key: string;
  /** Those that were read. */
  rows: Row[];
  /** There are none behind `rows`. */
  isEnded: boolean;
};

export async function readNewest<Row>(
  { accountIds }: NewestScope,
  list: NewestList<Row>,
  { after, limit }: NewestQuery,
): Promise<NewestPage<Row>> {
  const perRead = accountIds.length > 1 ? rowsPerRead.several : rowsPerRead.one;
  let reads = 0;
  const fill = async (source: Source<Row>, before: string | undefined) => {
    reads += 1;
    source.rows = await list.read(source.accountId, { before, limit: perRead });
    source.isEnded = source.rows.length < perRead;
  };
  const sources = await openSources(accountIds, list, after);
  const wanted: Row[] = [];
  let last: Row | undefined;
  for (let lookedAt = 0; lookedAt < rowsLookedAtMax && reads < readsMax; lookedAt += 1) {
    const [source] = sources;
    if (!source || wanted.length === limit) break;
    if (source.rows.length === 0) await fill(source, after);
    sources.shift();
    const row = source.rows.shift();
    if (row === undefined) continue;
    last = row;
    if (list.isWanted(row)) wanted.push(row);
    if (source.rows.length === 0 && !source.isEnded) await fill(source, list.keyOf(row));
    const [following] = source.rows;
    if (following === undefined) continue;
    source.key = list.keyOf(following);
    insertSorted(sources, source);
  }
  return { rows: wanted, next: sources.length > 0 ? last : undefined };
}

/** Sorted by key, the highest first. Nothing of them is read yet. */
async function openSources<Row>(
  accountIds: readonly string[],
  { listHighest }: NewestList<Row>,
  after: string | undefined,
): Promise<Source<Row>[]> {
  // The key of a single source is compared with no other.
  if (accountIds.length <= 1) {
    return accountIds.map((accountId) => ({ accountId, key: '', rows: [], isEnded: false }));
  }
  const highest = (await listHighest(after)).toSorted((a, b) => (a.key > b.key ? -1 : 1));
  return highest.map(({ accountId, key }) => ({ accountId, key, rows: [], isEnded: false }));
}

function insertSorted<Row>(sources: Source<Row>[], source: Source<Row>): void {
  let [low, high] = [0, sources.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sources[middle]?.key ?? '') > source.key) low = middle + 1;
    else high = middle;
  }
  sources.splice(low, 0, source);
}
