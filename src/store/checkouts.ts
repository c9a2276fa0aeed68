/** The table `checkouts`: which consumers opened the checkout of an order, chose a way to pay, and how it ended. */
import type { Order } from '../domain/orders/order.ts';
import type { Queryable } from '../postgres/database.ts';
import type { OrderName } from './order-rows.ts';

export const checkoutOutcomes = ['paid', 'failed', 'left'] as const;
export type CheckoutOutcome = (typeof checkoutOutcomes)[number];

/** False if it was opened before. */
export function insertCheckout(
  database: Queryable,
  { accountId, orderId, lapsesAt }: Pick<Order, 'accountId' | 'orderId' | 'lapsesAt'>,
  now: Date,
): Promise<boolean> {
  return changesOne(
    database,
    `insert into checkouts (account_id, order_id, opened_at, lapses_at)
     values ($1, $2, $3, $4) on conflict do nothing`,
    [accountId, orderId, now, lapsesAt],
  );
}

/** False if a way to pay was chosen before. */
export function saveChosen(
  database: Queryable,
  { accountId, orderId }: OrderName,
  now: Date,
): Promise<boolean> {
  return changesOne(
    database,
    `update checkouts set chosen_at = $3
      where account_id = $1 and order_id = $2 and chosen_at is null`,
    [accountId, orderId, now],
  );
}

/** False if its outcome is known already. */
export function saveCheckoutOutcome(
  database: Queryable,
  { accountId, orderId }: OrderName,
  outcome: CheckoutOutcome,
): Promise<boolean> {
  return changesOne(
    database,
    `update checkouts set outcome = $3
      where account_id = $1 and order_id = $2 and outcome is null`,
    [accountId, orderId, outcome],
  );
}

async function changesOne(
  database: Queryable,
  text: string,
  values: readonly unknown[],
): Promise<boolean> {
  const { rowCount } = await database.query({ text, values: [...values] });
  return rowCount === 1;
}

export type OpenedCheckout = { readonly openedAt: Date; readonly chosenAt: Date | null };

export async function findCheckout(
  database: Queryable,
  { accountId, orderId }: OrderName,
): Promise<OpenedCheckout | undefined> {
  const { rows } = await database.query<OpenedCheckout>({
    text: `select opened_at as "openedAt", chosen_at as "chosenAt" from checkouts
            where account_id = $1 and order_id = $2`,
    values: [accountId, orderId],
  });
  return rows[0];
}

export type EndedCheckout = OrderName & { readonly outcome: CheckoutOutcome };

/** Checkouts whose order has lapsed by now, the oldest first, with what has become of the order. */
export async function listEndedCheckouts(
  database: Queryable,
  now: Date,
  limit: number,
): Promise<EndedCheckout[]> {
  const { rows } = await database.query<{
    account_id: string;
    order_id: string;
    outcome: CheckoutOutcome;
  }>({
    text: `select c.account_id, c.order_id,
                  case when o.status = 'completed' then 'paid'
                       when exists (select from transactions t
                                     where t.account_id = c.account_id and t.order_id = c.order_id
                                       and t.type = 'payment' and t.status in ('failed', 'reversed'))
                       then 'failed' else 'left' end as outcome
             from checkouts c
             join orders o on o.account_id = c.account_id and o.order_id = c.order_id
            where c.outcome is null and c.lapses_at <= $1
            order by c.lapses_at limit $2`,
    values: [now, limit],
  });
  return rows.map(({ account_id, order_id, outcome }) => ({
    ...{ accountId: account_id, orderId: order_id, outcome },
  }));
}
