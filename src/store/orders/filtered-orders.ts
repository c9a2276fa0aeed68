/**
 * The newest orders of an account that match a filter. No index contains what changes with every payment
 * (docs/decisions/0015), so a search reads orders from the newest on and leaves out what does not match. It reads a
 * given number of them and says how far it came.
 */
import { firstOrderIdAt } from '../../domain/ids.ts';
import type { OrderStatus } from '../../domain/orders/order.ts';
import type { OrderFilter, PaymentFilter } from '../../domain/orders/order-filter.ts';
import type { Queryable } from '../../postgres/database.ts';
import type { AddValue } from '../inbox/newest.ts';
import { isRefunded as isRefundedSql } from '../payments/moved-amount.ts';
import type { FoundRows, SearchRange } from '../search-step.ts';

export type FilteredRange = SearchRange & { readonly filter: OrderFilter; readonly now: Date };

export async function findFilteredOrders(
  database: Queryable,
  accountId: string,
  range: FilteredRange,
): Promise<FoundRows> {
  return range.filter.flag === undefined
    ? findAmongAll(database, accountId, range)
    : findAmongFlagged(database, accountId, range);
}

async function findAmongAll(
  database: Queryable,
  accountId: string,
  { filter, before, limit, lookedAtMax, now }: FilteredRange,
): Promise<FoundRows> {
  const { values, add } = openValues(accountId);
  const { rows } = await database.query<{ ids: string[]; looked_at: number; last: string | null }>({
    text: `with looked_at as materialized (
             select order_id, ${conditionOf(filter, now, add)} as is_match from orders o
              where account_id = $1 ${rangeOf(filter, before, add)}
              order by order_id desc limit ${add(lookedAtMax)})
           select array(select order_id from looked_at where is_match
                         order by order_id desc limit ${add(limit)}) as ids,
                  (select count(*) from looked_at) as looked_at,
                  (select order_id from looked_at order by order_id limit 1) as last`,
    values,
  });
  const { ids = [], looked_at: lookedAt = 0, last = null } = rows[0] ?? {};
  if (ids.length === limit) return { ids, lookedAt, next: ids.at(-1) };
  return {
    ids,
    lookedAt,
    next: lookedAt < lookedAtMax ? undefined : (last ?? undefined),
  };
}

type Flagged = { order_id: string; is_order: boolean; has_flag: boolean };

/** Flags of orders and of transactions have an index each. Both are read from the newest on, side by side. */
async function findAmongFlagged(
  database: Queryable,
  accountId: string,
  { filter, before, limit, lookedAtMax, now }: FilteredRange,
): Promise<FoundRows> {
  const { values, add } = openValues(accountId);
  const flag = add(filter.flag);
  const range = rangeOf(filter, before, add);
  const max = add(lookedAtMax);
  const newest = (table: string, isOrder: boolean) =>
    `(select order_id, ${isOrder} as is_order, bool_or(${flag} = any(flags)) as has_flag from ${table}
       where account_id = $1 and flags <> '{}' ${range} group by order_id order by order_id desc limit ${max})`;
  const { rows } = await database.query<Flagged>({
    text: `select * from (${newest('orders', true)} union all ${newest('transactions', false)}) flagged
            order by order_id desc`,
    values,
  });
  const end = endOf(rows, lookedAtMax);
  const last = rows.findLastIndex((row) => row.order_id === end);
  const complete = end === undefined ? rows : rows.slice(0, last + 1);
  const flagged = complete.filter((row) => row.has_flag).map((row) => row.order_id);
  const found = await takeMatching(database, accountId, [...new Set(flagged)], {
    filter,
    limit,
    now,
  });
  const next = found.length === limit ? found.at(-1) : end;
  return { ids: found, lookedAt: complete.length, next };
}

/** The last order of which both lists tell; undefined if neither ended at its limit. */
function endOf(rows: readonly Flagged[], max: number): string | undefined {
  const ends = [true, false].flatMap((isOrder) => {
    const own = rows.filter((row) => row.is_order === isOrder);
    return own.length < max ? [] : [rows.lastIndexOf(own.at(-1) as Flagged)];
  });
  return ends.length === 0 ? undefined : rows[Math.min(...ends)]?.order_id;
}

/** The first of these orders that match, a few at a time, because a page needs few. */
async function takeMatching(
  database: Queryable,
  accountId: string,
  orderIds: readonly string[],
  { filter, limit, now }: Pick<FilteredRange, 'filter' | 'limit' | 'now'>,
): Promise<string[]> {
  const found: string[] = [];
  const size = 2 * limit;
  for (let from = 0; from < orderIds.length && found.length < limit; from += size) {
    const part = orderIds.slice(from, from + size);
    found.push(...(await keepMatching(database, accountId, part, filter, now)));
  }
  return found.slice(0, limit);
}

async function keepMatching(
  database: Queryable,
  accountId: string,
  orderIds: readonly string[],
  filter: OrderFilter,
  now: Date,
): Promise<string[]> {
  const { values, add } = openValues(accountId);
  const { rows } = await database.query<{ order_id: string }>({
    text: `select order_id from orders o where account_id = $1 and order_id = any(${add(orderIds)}::text[])
              and ${conditionOf(filter, now, add)}`,
    values,
  });
  const matching = new Set(rows.map((row) => row.order_id));
  return orderIds.filter((orderId) => matching.has(orderId));
}

function openValues(accountId: string): { readonly values: unknown[]; readonly add: AddValue } {
  const values: unknown[] = [accountId];
  return { values, add: (value) => `$${values.push(value)}` };
}

function rangeOf({ from, to }: OrderFilter, before: string | undefined, add: AddValue): string {
  const conditions: string[] = [];
  if (from) conditions.push(`and order_id >= ${add(firstOrderIdAt(from))}`);
  const ends = [to && firstOrderIdAt(to), before].filter((end) => end !== undefined);
  const [end] = ends.sort();
  if (end !== undefined) conditions.push(`and order_id < ${add(end)}`);
  return conditions.join(' ');
}

/** Without the range of time and the flag, which are conditions of the index. */
function conditionOf(filter: OrderFilter, now: Date, add: AddValue): string {
  const { status, currency, amountMin, amountMax, payment, isRefunded } = filter;
  const conditions = ['true'];
  if (status) conditions.push(statusOf(status, now, add));
  if (currency !== undefined) conditions.push(`o.currency = ${add(currency)}`);
  if (amountMin !== undefined) conditions.push(`o.total_amount >= ${add(amountMin)}`);
  if (amountMax !== undefined) conditions.push(`o.total_amount <= ${add(amountMax)}`);
  if (payment) conditions.push(hasTransaction(paymentOf(payment, add)));
  if (isRefunded) conditions.push(hasTransaction(isRefundedSql));
  return conditions.join(' and ');
}

/** Unpaid orders lapse without a write. Contract 4.3. */
function statusOf(status: OrderStatus, now: Date, add: AddValue): string {
  switch (status) {
    case 'completed':
      return `o.status = 'completed'`;
    case 'lapsed':
      return `(o.status = 'lapsed' or o.status in ('new', 'pending') and o.lapses_at <= ${add(now)})`;
    case 'new':
    case 'pending':
      return `o.status = '${status}' and o.lapses_at > ${add(now)}`;
    default:
      return status satisfies never;
  }
}

/** A scalar subquery. For "exists" the planner would read all transactions of the account into a hash table. */
function hasTransaction(condition: string): string {
  return `(select true from transactions t
            where t.account_id = $1 and t.order_id = o.order_id and ${condition} limit 1) is not null`;
}

function paymentOf({ status, mode, provider, failure }: PaymentFilter, add: AddValue): string {
  const conditions = [`t.type = 'payment'`];
  if (status) conditions.push(`t.status = ${add(status)}`);
  if (mode !== undefined)
    conditions.push(`coalesce(t.fields ->> 'paymentMode', '') = ${add(mode)}`);
  if (provider !== undefined) conditions.push(`t.provider = ${add(provider)}`);
  if (failure !== undefined) {
    conditions.push(
      `t.status = 'failed' and coalesce(t.fields -> 'failure' ->> 'code', '') = ${add(failure)}`,
    );
  }
  return conditions.join(' and ');
}
