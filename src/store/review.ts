/**
 * Everything that needs an operator, page by page: deliveries, and flags of orders and transactions. Each list is read
 * from a partial index that contains only such rows, so its cost does not grow with the table.
 */
import type { DeliveryState } from '../domain/inbox/delivery.ts';
import { orderIdOf } from '../domain/inbox/review.ts';
import type { ReviewFlag } from '../domain/review-flag.ts';
import type { Queryable } from '../postgres/database.ts';

export type ReviewPage = {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  /** The last entry of the previous page: a delivery, an order or a transaction. */
  readonly after: { readonly accountId: string; readonly id: string } | undefined;
  readonly limit: number;
};

/** With an account, the scan must end with its last row, so the account is compared by itself. */
function startOf({ accountId, after }: ReviewPage) {
  return {
    isOne: accountId !== undefined,
    from: accountId ?? after?.accountId ?? '',
    id: after?.id ?? '',
  };
}

export type DeliveryToReview = {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly state: Extract<DeliveryState, 'dead' | 'needs_review'>;
  readonly why: string | null;
  readonly flags: readonly ReviewFlag[];
  readonly orderId: string | null;
  readonly since: Date;
};

export async function listDeliveriesToReview(
  database: Queryable,
  state: DeliveryToReview['state'],
  page: ReviewPage,
): Promise<DeliveryToReview[]> {
  const { isOne, from, id } = startOf(page);
  const isNext = isOne
    ? 'account_id = $1 and delivery_id > $2'
    : '(account_id, delivery_id) > ($1, $2)';
  const { rows } = await database.query<DeliveryToReview>({
    text: `select account_id as "accountId", delivery_id as "deliveryId", state, why, flags,
                  order_id as "orderId", coalesce(finished_at, received_at) as since
             from deliveries where state = '${state}' and ${isNext}
            order by account_id, delivery_id limit $3`,
    values: [from, id, page.limit],
  });
  return rows;
}

/** An order or transaction with flags, including resolved ones; at least one is open. */
export type Flagged = {
  readonly accountId: string;
  readonly orderId: string;
  /** Null when the order itself has the flags. */
  readonly transactionId: string | null;
  readonly flags: readonly ReviewFlag[];
  /** Used when the history does not contain the time at which a flag was raised. */
  readonly happenedAt: Date;
};

/**
 * Resolved flags stay on their rows, so the list of an old account has mostly such rows. They are left out here, with a
 * search of the primary key of the resolutions for each, so that a page is not empty.
 */
function hasOpenFlag(table: string, subject: string): string {
  return `not flags <@ array(select r.flag from review_resolutions r
                              where r.account_id = ${table}.account_id and r.subject = ${table}.${subject})`;
}

export async function listFlaggedOrders(database: Queryable, page: ReviewPage): Promise<Flagged[]> {
  const { isOne, from, id } = startOf(page);
  const isNext = isOne ? 'account_id = $1 and order_id > $2' : '(account_id, order_id) > ($1, $2)';
  const { rows } = await database.query<Flagged>({
    text: `select account_id as "accountId", order_id as "orderId", null as "transactionId", flags,
                  created_at as "happenedAt"
             from orders where flags <> '{}' and ${isNext} and ${hasOpenFlag('orders', 'order_id')}
            order by account_id, order_id limit $3`,
    values: [from, id, page.limit],
  });
  return rows;
}

/** `after` names a transaction, whose id begins with that of its order. */
export async function listFlaggedTransactions(
  database: Queryable,
  page: ReviewPage,
): Promise<Flagged[]> {
  const { isOne, from, id } = startOf(page);
  const isNext = isOne
    ? 'account_id = $1 and (order_id, transaction_id) > ($2, $3)'
    : '(account_id, order_id, transaction_id) > ($1, $2, $3)';
  const { rows } = await database.query<Flagged>({
    text: `select account_id as "accountId", order_id as "orderId", transaction_id as "transactionId", flags,
                  coalesce(finished_at, recorded_at, started_at, 'epoch') as "happenedAt"
             from transactions where flags <> '{}' and ${isNext}
              and ${hasOpenFlag('transactions', 'transaction_id')}
            order by account_id, order_id, transaction_id limit $4`,
    values: [from, orderIdOf(id), id, page.limit],
  });
  return rows;
}

/** All flags of the orders and their transactions, including resolved ones. */
export async function listFlagsOfOrders(
  database: Queryable,
  accountId: string,
  orderIds: readonly string[],
): Promise<Array<Pick<Flagged, 'orderId' | 'transactionId' | 'flags'>>> {
  if (orderIds.length === 0) return [];
  const { rows } = await database.query<Pick<Flagged, 'orderId' | 'transactionId' | 'flags'>>({
    text: `select order_id as "orderId", null as "transactionId", flags from orders
            where account_id = $1 and order_id = any($2::text[]) and flags <> '{}'
            union all
           select order_id, transaction_id, flags from transactions
            where account_id = $1 and order_id = any($2::text[]) and flags <> '{}'`,
    values: [accountId, orderIds],
  });
  return rows;
}
