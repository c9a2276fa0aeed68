/** Finds the half hours to count: those with orders or figures one after the other, and those that changed lately. */

import { findTimeOfOrder, firstOrderIdAt } from '../../domain/ids.ts';
import { figureKinds } from '../../domain/reports/figure.ts';
import { slotAfter, slotOf, slotsBetween } from '../../domain/reports/slot.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { joinSql, sql, word } from '../../postgres/sql.ts';
import { queryPerAccount } from '../per-account.ts';
import { findRow, listRows } from '../query.ts';
import { dayKinds } from './figure-days.ts';
import type { Slot } from './figures.ts';

/** The first half hour of the account, from this one on, that has orders or figures. */
export async function findNextSlot(database: Queryable, { accountId, startsAt }: Slot) {
  // A search of the index for each kind: one for all kinds would read all figures of the account.
  const firstOf = (kind: (typeof figureKinds | typeof dayKinds)[number]) =>
    sql`(select starts_at from figures where account_id = $1 and kind = '${word(kind)}' and starts_at >= $3
       order by starts_at limit 1)`;
  const firsts = [...figureKinds, ...dayKinds].map(firstOf);
  const values = [accountId, firstOrderIdAt(startsAt), startsAt];
  type Row = { order_id: string | null; starts_at: Date | null };
  const row = await findRow<Row>(database, values)`
    select (select order_id from orders where account_id = $1 and order_id >= $2
             order by order_id limit 1) as order_id,
           least(${joinSql(firsts)}) as starts_at`;
  const createdAt = findTimeOfOrder(row?.order_id ?? '');
  const found = [createdAt && slotOf(createdAt), row?.starts_at].filter((time) => time != null);
  if (found.length === 0) return undefined;
  return { accountId, startsAt: new Date(Math.min(...found.map(Number))) };
}

type ChangedRange = {
  readonly from: Date;
  readonly until: Date;
  /** Only accounts behind this one. */
  readonly after: string;
};

/** Bounds the memory of a pass. What is left out is found by the walk. */
const rowsMax = 100_000;

/** The half hours of all orders that were created or changed in the range, by account. */
export async function listChangedSlots(database: Database, range: ChangedRange) {
  const byAccount = new Map<string, Map<number, Slot>>();
  const add = (accountId: string, startsAt: Date) => {
    const own = byAccount.get(accountId) ?? new Map<number, Slot>();
    byAccount.set(accountId, own.set(startsAt.getTime(), { accountId, startsAt }));
  };
  for (const { accountId, letters } of await listChangedLetters(database, range)) {
    for (const startsAt of slotsOfLetters(letters)) add(accountId, startsAt);
  }
  for (const accountId of await listCreating(database, range)) {
    for (const startsAt of slotsBetween(range.from, range.until)) add(accountId, startsAt);
  }
  const accountIds = [...byAccount.keys()].sort();
  return new Map(accountIds.map((id) => [id, [...(byAccount.get(id)?.values() ?? [])]]));
}

/** The half hours of an account's orders that changed since then, without those that were only created. */
export async function listSlotsChangedSince(database: Queryable, accountId: string, since: Date) {
  const rows = await listRows<{ letters: string }>(database, [accountId, since])`
    select distinct substr(order_id, 1, ${lettersLength}) as letters from history
     where account_id = $1 and happened_at >= $2`;
  const slots = rows.flatMap(({ letters }) => slotsOfLetters(letters));
  return [...new Set(slots.map(Number))].map((time) => new Date(time));
}

/** The beginning of an order id without the last letter of its time: orders of 62 seconds share it. */
const lettersLength = 'o_'.length + 5;

type Changed = { readonly accountId: string; readonly letters: string };

function listChangedLetters(database: Queryable, { from, until, after }: ChangedRange) {
  return listRows<Changed>(database, [from, until, after])`
    select account_id as "accountId", substr(order_id, 1, ${lettersLength}) as letters
      from history where happened_at >= $1 and happened_at <= $2 and account_id > $3
     group by 1, 2 order by 1, 2 limit ${rowsMax}`;
}

/** Usually one. Two if the 62 seconds belong to two half hours. */
function slotsOfLetters(letters: string): Date[] {
  const [first, last] = [findTimeOfOrder(`${letters}0`), findTimeOfOrder(`${letters}z`)];
  return first && last ? slotsBetween(first, last) : [];
}

/** Creating an order writes no history. Each account is one search of the index. */
async function listCreating(database: Database, { from, until, after }: ChangedRange) {
  const accounts = await listRows<{ accountId: string }>(database, [after])`
    select account_id as "accountId" from accounts where account_id > $1`;
  const range = [firstOrderIdAt(from), firstOrderIdAt(slotAfter(slotOf(until)))];
  const creating = await database.pipelined((connection) =>
    queryPerAccount<{ accountId: string }, { accountId: string }>(
      connection,
      accounts,
      (accountId) => ({
        name: 'find-created',
        text: `select account_id as "accountId" from orders
                where account_id = $1 and order_id >= $2 and order_id < $3 order by order_id limit 1`,
        values: [accountId, ...range],
      }),
    ),
  );
  return creating.map(({ accountId }) => accountId);
}

/** True if an order of the half hour changed since then. */
export async function hasChangedSince(
  database: Queryable,
  { accountId, startsAt }: Slot,
  since: Date,
): Promise<boolean> {
  const values = [accountId, firstOrderIdAt(startsAt), firstOrderIdAt(slotAfter(startsAt)), since];
  const rows = await listRows(database, values)`
    select 1 from history where account_id = $1 and order_id >= $2 and order_id < $3
       and happened_at >= $4 limit 1`;
  return rows.length > 0;
}
