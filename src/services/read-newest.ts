/**
 * Reads a page of a list, newest first, of one account or of several, whatever the rows are. It reads step by step until
 * the page is full or took long enough, so that a page that finds few rows ends in time, and the next one continues
 * there. Rows of several accounts are merged by the time in their ids. See docs/decisions/0046.
 */
import type { Database, Queryable } from '../postgres/database.ts';
import type { FoundRows, StepRange } from '../store/newest.ts';

export type ListedAccounts = string | readonly string[];

export type NewestQuery = {
  /** The cursor of the `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
  readonly effort?: typeof effortOfRequest;
};

/** A page ends when one of these is exceeded. The first step of each account is not counted. */
const effortOfRequest = { lookedAtMax: 50_000, msMax: 100 };

type NewestRows<Row> = {
  readonly find: (
    database: Queryable,
    accountId: string,
    range: StepRange,
  ) => Promise<FoundRows<Row>>;
  /** Cursors of all accounts are comparable as text. */
  readonly cursorOf: (row: Row) => string;
};

/**
 * The first step is small: most filters match many rows, and most of several accounts contribute few. Each later one
 * looks at more.
 */
const firstLookedAt = { one: 250, several: 20 };
const growth = 4;
const lookedAtInStepMax = 5_000;

/** The rows of one account that were found and are not on the page yet. */
type Source<Row> = {
  readonly accountId: string;
  rows: Row[];
  /** The row behind which there are more; undefined if none is left to read. */
  next: Row | undefined;
  /** How many rows its next step looks at. */
  size: number;
};

/**
 * `lookedAt`: how many rows were looked at to find these. `next`: the row behind which there are more. A page with a next
 * one may have few rows, or none.
 */
export async function readNewest<Row>(
  database: Database,
  accounts: ListedAccounts,
  { after, limit, effort = effortOfRequest }: NewestQuery,
  { find, cursorOf }: NewestRows<Row>,
) {
  const startedAtMs = performance.now();
  const sources = openSources<Row>(accounts);
  let lookedAt = 0;
  const fill = async (
    from: Queryable,
    source: Source<Row>,
    range: Omit<StepRange, 'lookedAtMax'>,
  ) => {
    const found = await find(from, source.accountId, { ...range, lookedAtMax: source.size });
    lookedAt += found.lookedAt;
    source.rows = [...found.rows];
    source.next = found.next;
    source.size = Math.min(source.size * growth, lookedAtInStepMax);
  };
  await database.pipelined((connection) =>
    Promise.all(sources.map((source) => fill(connection, source, { before: after, limit }))),
  );
  const lookedAtEnd = lookedAt + effort.lookedAtMax;
  const isOver = () => lookedAt >= lookedAtEnd || performance.now() - startedAtMs > effort.msMax;
  const rows: Row[] = [];
  for (;;) {
    const source = findNewestSource(sources, cursorOf);
    if (!source) return { rows, lookedAt, next: undefined };
    if (rows.length === limit) return { rows, lookedAt, next: rows.at(-1) };
    const row = source.rows.shift();
    if (row !== undefined) rows.push(row);
    else if (!source.next || isOver()) return { rows, lookedAt, next: source.next };
    else {
      const before = cursorOf(source.next);
      await fill(database, source, { before, limit: limit - rows.length });
    }
  }
}

function openSources<Row>(accounts: ListedAccounts): Source<Row>[] {
  const accountIds = typeof accounts === 'string' ? [accounts] : accounts;
  const size = accountIds.length > 1 ? firstLookedAt.several : firstLookedAt.one;
  return accountIds.map((accountId) => ({ accountId, rows: [], next: undefined, size }));
}

/** The source of the newest row that is not on the page: its first one that was found, or else its next one. */
function findNewestSource<Row>(sources: readonly Source<Row>[], cursorOf: (row: Row) => string) {
  let newest: { readonly source: Source<Row>; readonly cursor: string } | undefined;
  for (const source of sources) {
    const row = source.rows[0] ?? source.next;
    if (row === undefined) continue;
    const cursor = cursorOf(row);
    if (!newest || cursor > newest.cursor) newest = { source, cursor };
  }
  return newest?.source;
}
