/**
 * The table `figures`, and the count of a half hour from its orders and transactions. Order ids begin with the time, so
 * the orders of a half hour are a range of the primary key, and so are their transactions.
 */

import { firstOrderIdAt } from '../../domain/ids.ts';
import { type Figure, type FigureKind, figureKinds } from '../../domain/reports/figure.ts';
import { slotAfter } from '../../domain/reports/slot.ts';
import { defineRows } from '../../postgres/binary-rows.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { type Sql, sql, word } from '../../postgres/sql.ts';
import { isRefunded } from '../payments/transactions.ts';
import { execute, listRows, listValues } from '../query.ts';

/** The orders of an account that were created in a half hour. */
export type Slot = { readonly accountId: string; readonly startsAt: Date };

type FigureRow = Omit<Figure, 'amount'> & { readonly amount: string };

/** Counts the half hour as it is now. */
export async function countSlot(database: Queryable, { accountId, startsAt }: Slot) {
  const isInSlot = sql`account_id = $1 and order_id >= $2 and order_id < $3`;
  const values = [accountId, firstOrderIdAt(startsAt), firstOrderIdAt(slotAfter(startsAt))];
  const rows = await listRows<FigureRow>(database, values)`
    with created as materialized (
      select order_id, status, currency, total_amount from orders where ${isInSlot}),
    finished as materialized (
      select order_id, type, t.status, provider, fields ->> 'paymentMode' as mode,
             fields -> 'failure' ->> 'code' as failure, created.currency, ${isRefunded} as is_refund,
             case when t.status <> 'failed' then t.moved_amount
                  when t.currency = created.currency then t.amount end as amount
        from created join (select * from transactions where ${isInSlot}) t using (order_id)
       where t.status in ('succeeded', 'failed') or t.moved_amount > 0),
    paid as (select * from finished where type = 'payment' and status = 'succeeded'),
    failed as (select * from finished where type = 'payment' and status = 'failed'),
    refunded as (select * from finished where is_refund)
    ${sumOrders('created', sql`created`)}
     union all ${sumOrders('completed', sql`created where status = 'completed'`)}
     union all ${sumPayments('paid', sql`paid`, sql`''`)}
     union all ${sumPayments('failed', sql`failed`, sql`''`)}
     union all ${sumPayments('refunded', sql`refunded`, sql`''`)}
     union all ${sumPayments('mode', sql`paid`, sql`coalesce(mode, '')`)}
     union all ${sumPayments('provider', sql`paid`, sql`provider`)}
     union all ${sumPayments('failure', sql`failed`, sql`coalesce(failure, '')`)}`;
  return rows.map(toFigure);
}

function sumOrders(kind: FigureKind, rows: Sql): Sql {
  return sql`select '${word(kind)}' as kind, '' as name, currency, count(*) as orders, 0::bigint as payments,
                 sum(total_amount)::text as amount from ${rows} group by currency`;
}

function sumPayments(kind: FigureKind, rows: Sql, name: Sql): Sql {
  return sql`select '${word(kind)}', ${name}, currency, count(distinct order_id), count(*),
                 coalesce(sum(amount), 0)::text from ${rows} group by 2, currency`;
}

export async function listFigures(database: Queryable, { accountId, startsAt }: Slot) {
  const rows = await listRows<FigureRow>(database, [accountId, figureKinds, startsAt])`
    select kind, name, currency, orders, payments, amount::text as amount from figures
     where account_id = $1 and kind = any($2::text[]) and starts_at = $3`;
  return rows.map(toFigure);
}

const figureRows = defineRows<Figure>(
  { text: ['kind', 'name', 'currency'], bigint: ['orders', 'payments'] },
  { amount: ['text', ({ amount }) => String(amount)] },
);

/** Counting must be locked, so that an older count does not replace a newer one. */
export async function replaceFigures(
  tx: Transaction,
  { accountId, startsAt }: Slot,
  figures: readonly Figure[],
) {
  await execute(tx, [accountId, figureKinds, startsAt])`
    delete from figures where account_id = $1 and kind = any($2::text[]) and starts_at = $3`;
  if (figures.length === 0) return;
  const values = figureRows.toParameters(figures);
  await execute(tx, [...values, accountId, startsAt])`
    insert into figures (account_id, starts_at, kind, name, currency, orders, payments, amount)
    select $${values.length + 1}, $${values.length + 2}::timestamptz,
           kind, name, currency, orders, payments, amount::bigint
      from ${figureRows.from}`;
}

/** The half hours of a period, but for those that the caller counts itself. */
export type SummedPeriod = {
  readonly from: Date;
  readonly to: Date;
  readonly kinds: readonly string[];
  readonly except: readonly Date[];
};

/** Sums of the whole period. */
export async function sumFigures(
  database: Queryable,
  accountId: string,
  { from, to, kinds, except }: SummedPeriod,
): Promise<Figure[]> {
  const rows = await listRows<FigureRow>(database, [accountId, kinds, from, to, except])`
    select kind, name, currency, ${summed} ${ofPeriod} group by kind, name, currency`;
  return rows.map(toFigure);
}

/** Sums of each part of the period, which begins at `startsAt`, for kinds without names. */
export async function sumFiguresByBucket(
  database: Queryable,
  accountId: string,
  { from, to, kinds, except }: SummedPeriod,
  { bucketSeconds, offsetSeconds }: Record<'bucketSeconds' | 'offsetSeconds', number>,
) {
  const [origin, size] = [new Date(-offsetSeconds * 1_000), `${bucketSeconds} seconds`];
  const values = [accountId, kinds, from, to, except, origin, size];
  // Arithmetic with the seconds of a time would be numeric, and several times slower.
  const rows = await listRows<FigureRow & { bucket: Date }>(database, values)`
    select kind, '' as name, currency, ${summed},
           date_bin($7::interval, starts_at, $6::timestamptz) as bucket
      ${ofPeriod} group by kind, currency, bucket`;
  return rows.map((row) => ({ ...toFigure(row), startsAt: row.bucket }));
}

const summed = sql`sum(orders)::bigint as orders, sum(payments)::bigint as payments,
                sum(amount)::text as amount`;

const ofPeriod = sql`from figures
  where account_id = $1 and kind = any($2::text[]) and starts_at >= $3 and starts_at < $4
    and starts_at <> all($5::timestamptz[])`;

/** The half hours of these with more orders than that, when they were last counted. */
export function listLargeSlots(
  database: Queryable,
  accountId: string,
  slots: readonly Date[],
  ordersMax: number,
) {
  return listValues<Date>(database, [accountId, slots, ordersMax])`
    select starts_at from figures
     where account_id = $1 and kind = 'created' and starts_at = any($2::timestamptz[])
     group by starts_at having sum(orders) > $3`;
}

function toFigure({ kind, name, currency, orders, payments, amount }: FigureRow): Figure {
  return { kind, name, currency, orders, payments, amount: BigInt(amount) };
}
