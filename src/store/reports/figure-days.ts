/**
 * Sums of the shares by day of UTC, which are rows of `figures` too. They follow from the figures of half hours, and
 * make the overview of a year fast: it reads 365 days instead of 17,520 half hours of each name.
 */
import { type Figure, type ShareKind, shareKinds } from '../../domain/reports/figure.ts';
import { dayAfter } from '../../domain/reports/slot.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { sql } from '../../postgres/sql.ts';
import { execute, listRows } from '../query.ts';
import { type SummedPeriod, sumFigures } from './figures.ts';

export const dayKinds = shareKinds.map((kind) => `${kind}_day` as const);

type Day = { readonly accountId: string; readonly day: Date };

const sums = sql`kind || '_day' as kind, name, currency, sum(orders)::bigint as orders,
              sum(payments)::bigint as payments, sum(amount)::bigint as amount
         from figures
        where account_id = $1 and kind = any($2::text[]) and starts_at >= $3 and starts_at < $4
        group by account_id, kind, name, currency`;

/** The parameters of `sums`. */
function valuesOf({ accountId, day }: Day): unknown[] {
  return [accountId, shareKinds, day, dayAfter(day)];
}

/** The names of the sums that are not those of their half hours. */
export async function listWrongDays(database: Queryable, day: Day): Promise<string[]> {
  const stored = sql`select kind, name, currency, orders, payments, amount from figures
                   where account_id = $1 and kind = any($5::text[]) and starts_at = $3`;
  const values = [...valuesOf(day), dayKinds];
  const rows = await listRows<Record<'kind' | 'name' | 'currency', string>>(database, values)`
    with stored as (${stored}), summed as (select ${sums})
    (select kind, name, currency from (select * from stored except select * from summed) wrong)
     union
    (select kind, name, currency from (select * from summed except select * from stored) missing)
     order by 1, 2, 3`;
  return rows.map(({ kind, name, currency }) => [kind, name, currency].filter(Boolean).join(' '));
}

/** Figures must be locked. */
export async function replaceDay(tx: Transaction, day: Day) {
  const { accountId } = day;
  await execute(tx, [accountId, dayKinds, day.day])`
    delete from figures where account_id = $1 and kind = any($2::text[]) and starts_at = $3`;
  await execute(tx, valuesOf(day))`
    insert into figures (account_id, starts_at, kind, name, currency, orders, payments, amount)
    select account_id, $3::timestamptz, ${sums}`;
}

/** Sums of whole days. */
export async function sumDays(
  database: Queryable,
  accountId: string,
  period: Omit<SummedPeriod, 'kinds'>,
): Promise<Figure[]> {
  const sums = await sumFigures(database, accountId, { ...period, kinds: dayKinds });
  return sums.map((sum) => ({ ...sum, kind: sum.kind.replace('_day', '') as ShareKind }));
}
