/** The append-only history of orders and their transactions. Contract 4.7. */
import type { CallRecord, HistoryEntry } from '../../domain/history.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import type { OrderKey } from '../order-rows.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';
import { execute, listRows } from '../query.ts';

type Appended = { readonly order: OrderKey; readonly entries: readonly HistoryEntry[] };

/** All changes that one delivery or call made to an order. */
type Row = OrderKey & { readonly offset: number; readonly entries: readonly HistoryEntry[] };

const rows = defineAccountRows<Row>(
  { text: ['orderId'] },
  {
    position_offset: ['integer', ({ offset }) => offset],
    cause: ['text', ({ entries }) => entries[0]?.cause],
    happened_at: ['timestamptz', ({ entries }) => entries[0]?.happenedAt],
    entries: ['json', ({ entries }) => entries.map(toStored)],
  },
);

/** The orders must be locked: new positions continue from the highest stored one. */
export async function appendHistory(tx: Transaction, appended: readonly Appended[]) {
  await rows.query(tx, appended.flatMap(toRows), 'append-history')`
    insert into history (account_id, order_id, position, cause, happened_at, entries)
    select ${accountOf('row')}, order_id,
      position_offset + (select coalesce(max(position), 0) from history h
                          where h.account_id = ${accountOf('row')} and h.order_id = row.order_id),
      cause, happened_at, entries
      from ${rows.from}`;
}

function toRows({ order: { accountId, orderId }, entries }: Appended): Row[] {
  const byCause = Map.groupBy(entries, ({ cause }) => cause);
  return [...byCause.values()].map((own, index) => ({
    accountId,
    orderId,
    offset: index + 1,
    entries: own,
  }));
}

/** The stored form: changes are arrays, not objects, because history stays for ever by default and must be small. */
type Stored = {
  readonly transactionId: string | null;
  readonly changes: ReadonlyArray<readonly [field: string, from: unknown, to: unknown]>;
  readonly call?: CallRecord | null;
};

function toStored({ transactionId, changes, call }: RecordedEntry): Stored {
  return {
    transactionId,
    changes: changes.map(({ field, from, to }) => [field, from, to] as const),
    ...(call && { call }),
  };
}

export type HistoryRow = {
  order_id: string;
  cause: string;
  happened_at: Date;
  entries: Stored[];
};

/** The last rows of an order's history, oldest first. */
export async function listRecentHistory(
  database: Queryable,
  { accountId, orderId }: OrderKey,
  limit: number,
) {
  const rows = await listRows<HistoryRow>(database, [accountId, orderId, limit])`
    select order_id, cause, happened_at, entries from history
     where account_id = $1 and order_id = $2 order by position desc limit $3`;
  return rows.toReversed().flatMap(toEntries);
}

/** The history of many orders of one account, by order id. */
export async function listHistoryOfOrders(
  database: Queryable,
  accountId: string,
  orderIds: readonly string[],
): Promise<Map<string, HistoryEntry[]>> {
  if (orderIds.length === 0) return new Map();
  const rows = await listRows<HistoryRow>(database, [accountId, orderIds])`
    select order_id, cause, happened_at, entries from history
     where account_id = $1 and order_id = any($2::text[]) order by order_id, position`;
  const byOrder = Map.groupBy(rows, ({ order_id }) => order_id);
  return new Map([...byOrder].map(([orderId, own]) => [orderId, own.flatMap(toEntries)]));
}

export function toEntries({ cause, happened_at: happenedAt, entries }: HistoryRow): HistoryEntry[] {
  return entries.map((stored) => ({ ...toRecorded(stored), cause, happenedAt }));
}

type RecordedEntry = Pick<HistoryEntry, 'transactionId' | 'changes' | 'call'>;

function toRecorded({ transactionId, changes, call = null }: Stored): RecordedEntry {
  const objects = changes.map(([field, from, to]) => ({ field, from, to }));
  return { transactionId, changes: objects, call };
}

/** One row of the table: all changes of one delivery or call, at a position in the order's history. */
export type HistoryRecord = {
  readonly position: number;
  readonly entries: readonly RecordedEntry[];
};

/** The order must be locked if the rows are to be saved again. */
export async function listHistoryRows(database: Queryable, { accountId, orderId }: OrderKey) {
  const rows = await listRows<HistoryRecordRow>(database, [accountId, orderId])`
    select position, entries from history
     where account_id = $1 and order_id = $2 order by position`;
  return rows.map(toHistoryRecord);
}

export type HistoryRecordRow = { readonly position: number; readonly entries: readonly Stored[] };

export function toHistoryRecord({ position, entries }: HistoryRecordRow): HistoryRecord {
  return { position, entries: entries.map(toRecorded) };
}

const rewritten = defineAccountRows<HistoryRecord>(
  { integer: ['position'] },
  { entries: ['json', ({ entries }) => entries.map(toStored)] },
);

/** The history is append-only except for personal data, which is masked or erased in place. */
export async function saveHistoryRows(
  tx: Transaction,
  { accountId, orderId }: OrderKey,
  changed: readonly HistoryRecord[],
) {
  if (changed.length === 0) return;
  const parameters = rewritten.toParameters(accountId, changed);
  await execute(tx, [...parameters, orderId])`
    update history h set entries = row.entries from ${rewritten.from}
     where h.account_id = $1 and h.order_id = $4 and h.position = row.position`;
}
