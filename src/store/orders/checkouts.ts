/** The table `checkouts`: which consumers opened the checkout of an order, chose a way to pay, and how it ended. */
import type { Order } from '../../domain/orders/order.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { type OrderKey, orderIds } from '../order-rows.ts';
import { changesOne, execute, findRow, listRows } from '../query.ts';

const checkoutOutcomes = ['paid', 'failed', 'left'] as const;
type CheckoutOutcome = (typeof checkoutOutcomes)[number];

/** False if it was opened before. */
export function insertCheckout(
  database: Queryable,
  { accountId, orderId, lapsesAt }: Pick<Order, 'accountId' | 'orderId' | 'lapsesAt'>,
  now: Date,
) {
  return changesOne(database, [accountId, orderId, now, lapsesAt])`
    insert into checkouts (account_id, order_id, opened_at, lapses_at)
    values ($1, $2, $3, $4) on conflict do nothing`;
}

/** False if a way to pay was chosen before. */
export function saveChosen(database: Queryable, { accountId, orderId }: OrderKey, now: Date) {
  return changesOne(database, [accountId, orderId, now])`
    update checkouts set chosen_at = $3
    where account_id = $1 and order_id = $2 and chosen_at is null`;
}

/** For an order that lapses at another time now. */
export async function saveCheckoutLapse(
  database: Queryable,
  { accountId, orderId, lapsesAt }: Pick<Order, 'accountId' | 'orderId' | 'lapsesAt'>,
) {
  await execute(database, [accountId, orderId, lapsesAt])`
    update checkouts set lapses_at = $3
    where account_id = $1 and order_id = $2 and outcome is null`;
}

/** False if its outcome is known already. */
export function saveCheckoutOutcome(
  database: Queryable,
  { accountId, orderId }: OrderKey,
  outcome: CheckoutOutcome,
) {
  return changesOne(database, [accountId, orderId, outcome])`
    update checkouts set outcome = $3
    where account_id = $1 and order_id = $2 and outcome is null`;
}

type OpenedCheckout = { readonly openedAt: Date; readonly chosenAt: Date | null };

export function findCheckout(database: Queryable, { accountId, orderId }: OrderKey) {
  return findRow<OpenedCheckout>(database, [accountId, orderId])`
    select ${columnsOf('openedAt, chosenAt')} from checkouts
     where account_id = $1 and order_id = $2`;
}

/** Checkouts whose order has lapsed by now, the oldest first, with what has become of the order. */
export async function listEndedCheckouts(database: Database, now: Date, limit: number) {
  const rows = await listRows<OrderKey>(database, [now, limit])`
    select ${columnsOf('accountId, orderId')} from checkouts
     where outcome is null and lapses_at <= $1 order by lapses_at limit $2`;
  type Outcome = { readonly order_id: string; readonly outcome: CheckoutOutcome };
  const outcomes = await database.pipelined(
    (connection) =>
      orderIds.query<Outcome>(connection, rows, 'find-checkout-outcomes')`
      select order_id,
             case when status = 'completed' then 'paid'
                  when exists (select from transactions t
                                where t.account_id = $1 and t.order_id = o.order_id
                                  and t.type = 'payment' and t.status in ('failed', 'reversed'))
                  then 'failed' else 'left' end as outcome
        from orders o where account_id = $1 and order_id = any($2::text[])`,
  );
  const byOrder = new Map(outcomes.map(({ order_id, outcome }) => [order_id, outcome]));
  return rows.map((key) => ({ ...key, outcome: byOrder.get(key.orderId) ?? ('left' as const) }));
}
