/** The table `checkouts`: which consumers opened the checkout of an order, chose a way to pay, and how it ended. */
import type { Order } from '../../domain/orders/order.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import type { OrderKey } from '../order-rows.ts';
import { queryPerAccount } from '../per-account.ts';
import { changesOne, findRow } from '../query.ts';

const checkoutOutcomes = ['paid', 'failed', 'left'] as const;
type CheckoutOutcome = (typeof checkoutOutcomes)[number];

/** False if it was opened before. */
export function insertCheckout(
  database: Queryable,
  { accountId, orderId, lapsesAt }: Pick<Order, 'accountId' | 'orderId' | 'lapsesAt'>,
  now: Date,
) {
  return changesOne(database, {
    text: `insert into checkouts (account_id, order_id, opened_at, lapses_at)
     values ($1, $2, $3, $4) on conflict do nothing`,
    values: [accountId, orderId, now, lapsesAt],
  });
}

/** False if a way to pay was chosen before. */
export function saveChosen(database: Queryable, { accountId, orderId }: OrderKey, now: Date) {
  return changesOne(database, {
    text: `update checkouts set chosen_at = $3
      where account_id = $1 and order_id = $2 and chosen_at is null`,
    values: [accountId, orderId, now],
  });
}

/** False if its outcome is known already. */
export function saveCheckoutOutcome(
  database: Queryable,
  { accountId, orderId }: OrderKey,
  outcome: CheckoutOutcome,
) {
  return changesOne(database, {
    text: `update checkouts set outcome = $3
      where account_id = $1 and order_id = $2 and outcome is null`,
    values: [accountId, orderId, outcome],
  });
}

type OpenedCheckout = { readonly openedAt: Date; readonly chosenAt: Date | null };

export function findCheckout(database: Queryable, { accountId, orderId }: OrderKey) {
  return findRow<OpenedCheckout>(database, {
    text: `select opened_at as "openedAt", chosen_at as "chosenAt" from checkouts
            where account_id = $1 and order_id = $2`,
    values: [accountId, orderId],
  });
}

type EndedCheckout = OrderKey & { readonly outcome: CheckoutOutcome };

/** Checkouts whose order has lapsed by now, the oldest first, with what has become of the order. */
export async function listEndedCheckouts(
  database: Database,
  now: Date,
  limit: number,
): Promise<EndedCheckout[]> {
  const { rows } = await database.query<OrderKey>({
    text: `select account_id as "accountId", order_id as "orderId" from checkouts
            where outcome is null and lapses_at <= $1 order by lapses_at limit $2`,
    values: [now, limit],
  });
  const outcomes = await database.pipelined((connection) => findOutcomes(connection, rows));
  return rows.map((key) => ({ ...key, outcome: outcomes.get(key.orderId) ?? 'left' }));
}

/** By order. */
async function findOutcomes(
  database: Queryable,
  orders: readonly OrderKey[],
): Promise<ReadonlyMap<string, CheckoutOutcome>> {
  const rows = await queryPerAccount<{ order_id: string; outcome: CheckoutOutcome }, OrderKey>(
    database,
    orders,
    (accountId, own) => ({
      name: 'find-checkout-outcomes',
      text: `select order_id,
                    case when status = 'completed' then 'paid'
                         when exists (select from transactions t
                                       where t.account_id = $1 and t.order_id = o.order_id
                                         and t.type = 'payment' and t.status in ('failed', 'reversed'))
                         then 'failed' else 'left' end as outcome
               from orders o where account_id = $1 and order_id = any($2::text[])`,
      values: [accountId, own.map(({ orderId }) => orderId)],
    }),
  );
  return new Map(rows.map(({ order_id, outcome }) => [order_id, outcome]));
}
