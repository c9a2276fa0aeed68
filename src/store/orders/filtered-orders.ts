/** The orders of an account that match a filter, newest first. */
import { firstOrderIdAt } from '../../domain/ids.ts';
import type { OrderStatus } from '../../domain/orders/order.ts';
import type { OrderFilter, PaymentFilter } from '../../domain/orders/order-filter.ts';
import type { Queryable } from '../../postgres/database.ts';
import { type Sql, sql, word } from '../../postgres/sql.ts';
import { isClaiming } from '../disputes/disputes.ts';
import {
  allOf,
  always,
  type Condition,
  compare,
  type FoundRows,
  findNewest,
  type StepRange,
} from '../newest.ts';
import type { OrderKey } from '../order-rows.ts';
import { isRefunded as isRefundedSql } from '../payments/transactions.ts';

type FilteredRange = StepRange & { readonly filter: OrderFilter; readonly now: Date };

export function findFilteredOrders(
  database: Queryable,
  accountId: string,
  { filter, before, now, ...range }: FilteredRange,
): Promise<FoundRows<OrderKey>> {
  const id = sql`order_id`;
  const { flag, isDisputed, from, to } = filter;
  const looked = conditionsOf(filter, now);
  return findNewest(
    database,
    accountId,
    {
      columns: sql`$1 as "accountId", order_id as "orderId"`,
      sortedBy: [id],
      cursor: before === undefined ? undefined : [before],
      indexed: [
        ...compare(sql`${id} >=`, from && firstOrderIdAt(from)),
        ...compare(sql`${id} <`, to && firstOrderIdAt(new Date(to.getTime() + 999))),
      ],
      looked:
        flag !== undefined
          ? [() => sql`has_flag`, isOrderWith(looked)]
          : isDisputed
            ? [isOrderWith(looked)]
            : looked,
      from: (wanted, max, add) => {
        if (flag !== undefined) return flagged(id, wanted, max, add(flag));
        return isDisputed ? disputed(wanted, max) : sql`orders o where ${wanted}`;
      },
    },
    range,
  );
}

/**
 * Flags of orders and of transactions have an index each. Both are read from the newest on: the newest of both together
 * are among the newest of each.
 */
function flagged(id: Sql, wanted: Sql, max: Sql, flag: Sql): Sql {
  const newest = (table: Sql) =>
    sql`(select order_id, bool_or(${flag} = any(flags)) as has_flag from ${table}
       where flags <> '{}' and ${wanted} group by order_id order by ${id} desc limit ${max})`;
  return sql`(select order_id, bool_or(has_flag) as has_flag
             from (${newest(sql`orders`)} union all ${newest(sql`transactions`)}) of_each
            group by order_id) found`;
}

/** Few orders have disputes, so they are read from those. */
function disputed(wanted: Sql, max: Sql): Sql {
  return sql`(select distinct order_id from disputes
             where ${isClaiming} and ${wanted} order by order_id desc limit ${max}) found`;
}

/** For an order of which only the id was read. */
function isOrderWith(conditions: readonly Condition[]): Condition {
  return (add) => sql`(select ${allOf([always, ...conditions], add)}
                      from orders o where o.account_id = $1 and o.order_id = found.order_id)`;
}

/** Without the flag. The times are here too, because ids have them to the second. */
function conditionsOf(filter: OrderFilter, now: Date): Condition[] {
  const { status, from, to, currency, amountMin, amountMax, payment } = filter;
  return [
    ...(status ? [statusOf(status, now)] : []),
    ...compare(sql`o.created_at >=`, from),
    ...compare(sql`o.created_at <`, to),
    ...compare(sql`o.currency =`, currency),
    ...compare(sql`o.total_amount >=`, amountMin),
    ...compare(sql`o.total_amount <=`, amountMax),
    ...(payment ? [hasTransaction(paymentOf(payment))] : []),
    ...(filter.isDisputed ? [hasDispute] : []),
    ...(filter.isRefunded ? [hasTransaction([() => isRefundedSql])] : []),
  ];
}

/** Unpaid orders lapse without a write. Contract 4.3. */
function statusOf(status: OrderStatus, now: Date): Condition {
  switch (status) {
    case 'completed':
      return () => sql`o.status = 'completed'`;
    case 'lapsed':
      return (add) =>
        sql`(o.status = 'lapsed' or o.status in ('new', 'pending') and o.lapses_at <= ${add(now)})`;
    case 'new':
    case 'pending':
      return (add) => sql`o.status = '${word(status)}' and o.lapses_at > ${add(now)}`;
    default:
      return status satisfies never;
  }
}

/** A scalar subquery. For "exists" the planner would read all transactions of the account into a hash table. */
function hasTransaction(conditions: readonly Condition[]): Condition {
  return (add) => sql`(select true from transactions t
            where t.account_id = $1 and t.order_id = o.order_id
              and ${allOf(conditions, add)} limit 1) is not null`;
}

const hasDispute: Condition = () => sql`(select true from disputes d
            where d.account_id = $1 and d.order_id = o.order_id and ${isClaiming} limit 1) is not null`;

const failureCode = sql`coalesce(t.fields -> 'failure' ->> 'code', '')`;

function paymentOf({ status, mode, provider, failure }: PaymentFilter): Condition[] {
  return [
    () => sql`t.type = 'payment'`,
    ...compare(sql`t.status =`, status),
    ...compare(sql`coalesce(t.fields ->> 'paymentMode', '') =`, mode),
    ...compare(sql`t.provider =`, provider),
    ...compare(sql`t.status = 'failed' and ${failureCode} =`, failure),
  ];
}
