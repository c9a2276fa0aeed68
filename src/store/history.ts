/** The append-only history of orders and their transactions. Contract 4.7. */
import type { Change } from '../domain/history.ts';
import { defineRows } from '../postgres/binary-rows.ts';
import type { Queryable, Transaction } from '../postgres/database.ts';

export type HistoryEntry = {
  /** Null for a change of the order itself. */
  readonly transactionId: string | null;
  readonly changes: readonly Change[];
  /** The delivery or call that brought it. */
  readonly cause: string;
  readonly happenedAt: Date;
  readonly call?: CallRecord | null;
};

/** A call to a provider, without anything it carried. */
export type CallRecord = {
  readonly operation: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly tries: number;
  readonly httpStatus: number | null;
};

type OrderName = { readonly accountId: string; readonly orderId: string };

type Appended = { readonly order: OrderName; readonly entries: readonly HistoryEntry[] };

/** All that one delivery or call changed in an order. */
type Row = OrderName & { readonly place: number; readonly entries: readonly HistoryEntry[] };

const rows = defineRows<Row>({
  account_id: ['text', ({ accountId }) => accountId],
  order_id: ['text', ({ orderId }) => orderId],
  place: ['integer', ({ place }) => place],
  cause: ['text', ({ entries }) => entries[0]?.cause],
  happened_at: ['timestamptz', ({ entries }) => entries[0]?.happenedAt],
  entries: ['json', ({ entries }) => entries.map(toStored)],
});

/** The orders must be locked: positions are counted on from what is there. */
export async function appendHistory(tx: Transaction, appended: readonly Appended[]): Promise<void> {
  const added = appended.flatMap(toRows);
  if (added.length === 0) return;
  await tx.query({
    name: 'append-history',
    text: `insert into history (account_id, order_id, position, cause, happened_at, entries)
           select account_id, order_id,
             place + (select coalesce(max(position), 0) from history h
                       where h.account_id = row.account_id and h.order_id = row.order_id),
             cause, happened_at, entries
             from ${rows.from}`,
    values: rows.toParameters(added),
  });
}

function toRows({ order: { accountId, orderId }, entries }: Appended): Row[] {
  const byCause = Map.groupBy(entries, ({ cause }) => cause);
  return [...byCause.values()].map((own, index) => ({
    accountId,
    orderId,
    place: index + 1,
    entries: own,
  }));
}

/** As it is kept: short, for every change of every order is here for ever. */
type Stored = {
  readonly transactionId: string | null;
  readonly changes: ReadonlyArray<readonly [field: string, from: unknown, to: unknown]>;
  readonly call?: CallRecord | null;
};

function toStored({ transactionId, changes, call }: HistoryRecord['entries'][number]): Stored {
  const kept = changes.map(({ field, from, to }) => [field, from, to] as const);
  return { transactionId, changes: kept, ...(call && { call }) };
}

type HistoryRow = { order_id: string; cause: string; happened_at: Date; entries: Stored[] };

export async function listHistory(
  database: Queryable,
  accountId: string,
  orderId: string,
): Promise<HistoryEntry[]> {
  const result = await database.query<HistoryRow>({
    text: `select order_id, cause, happened_at, entries from history
            where account_id = $1 and order_id = $2 order by position`,
    values: [accountId, orderId],
  });
  return result.rows.flatMap(toEntries);
}

/** The same of many orders of one account, by their ids. */
export async function listHistoryOfOrders(
  database: Queryable,
  accountId: string,
  orderIds: readonly string[],
): Promise<Map<string, HistoryEntry[]>> {
  if (orderIds.length === 0) return new Map();
  const result = await database.query<HistoryRow>({
    text: `select order_id, cause, happened_at, entries from history
            where account_id = $1 and order_id = any($2::text[]) order by order_id, position`,
    values: [accountId, orderIds],
  });
  const byOrder = Map.groupBy(result.rows, ({ order_id }) => order_id);
  return new Map([...byOrder].map(([orderId, own]) => [orderId, own.flatMap(toEntries)]));
}

function toEntries({ cause, happened_at: happenedAt, entries }: HistoryRow): HistoryEntry[] {
  return entries.map(({ transactionId, changes, call = null }) => ({
    transactionId,
    changes: changes.map(([field, from, to]) => ({ field, from, to })),
    cause,
    happenedAt,
    call,
  }));
}

/** All that one delivery or call changed, with its place in the history of its order. */
export type HistoryRecord = {
  readonly position: number;
  readonly entries: ReadonlyArray<Pick<HistoryEntry, 'transactionId' | 'changes' | 'call'>>;
};

/** The order must be locked, where the rows are to be written again. */
export async function listHistoryRows(
  database: Queryable,
  { accountId, orderId }: OrderName,
): Promise<HistoryRecord[]> {
  const result = await database.query<HistoryRow & { position: number }>({
    text: `select * from history where account_id = $1 and order_id = $2 order by position`,
    values: [accountId, orderId],
  });
  return result.rows.map((row) => ({
    position: row.position,
    entries: toEntries(row).map(({ transactionId, changes, call }) => ({
      ...{ transactionId, changes },
      ...(call && { call }),
    })),
  }));
}

const rewritten = defineRows<HistoryRecord>({
  position: ['integer', ({ position }) => position],
  entries: ['json', ({ entries }) => entries.map(toStored)],
});

/** The history is append-only but for personal data, which is masked or erased in place. */
export async function saveHistoryRows(
  tx: Transaction,
  { accountId, orderId }: OrderName,
  changed: readonly HistoryRecord[],
): Promise<void> {
  if (changed.length === 0) return;
  const parameters = rewritten.toParameters(changed);
  await tx.query({
    text: `update history h set entries = row.entries from ${rewritten.from}
            where h.account_id = $3 and h.order_id = $4 and h.position = row.position`,
    values: [...parameters, accountId, orderId],
  });
}
