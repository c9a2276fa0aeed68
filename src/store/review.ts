/**
 * Everything that needs an operator, page by page: deliveries, and flags of orders and transactions. Each list is read
 * from a partial index that contains only such rows, so its cost does not grow with the table.
 */
import type { DeliveryState } from '../domain/inbox/delivery.ts';
import type { ReviewFlag } from '../domain/review-flag.ts';
import type { Queryable } from '../postgres/database.ts';

export type Page<Entry> = {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  /** The last entry of the previous page. */
  readonly after: Entry | undefined;
  readonly limit: number;
};

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
  { accountId, after, limit }: Page<DeliveryToReview>,
): Promise<DeliveryToReview[]> {
  const { rows } = await database.query<DeliveryToReview>({
    text: `select account_id as "accountId", delivery_id as "deliveryId", state, why, flags,
                  order_id as "orderId", coalesce(finished_at, received_at) as since
             from deliveries
            where state in ('dead', 'needs_review') and ($1::text is null or account_id = $1)
              and (account_id, delivery_id) > ($2, $3)
            order by account_id, delivery_id limit $4`,
    values: [accountId ?? null, after?.accountId ?? '', after?.deliveryId ?? '', limit],
  });
  return rows;
}

/** An order or transaction with flags, including resolved ones. */
export type Flagged = {
  readonly accountId: string;
  readonly orderId: string;
  /** Null when the order itself has the flags. */
  readonly transactionId: string | null;
  readonly flags: readonly ReviewFlag[];
  /** Used when the history does not contain the time at which a flag was raised. */
  readonly happenedAt: Date;
};

export async function listFlaggedOrders(
  database: Queryable,
  { accountId, after, limit }: Page<Flagged>,
): Promise<Flagged[]> {
  const { rows } = await database.query<Flagged>({
    text: `select account_id as "accountId", order_id as "orderId", null as "transactionId", flags,
                  created_at as "happenedAt"
             from orders
            where flags <> '{}' and ($1::text is null or account_id = $1)
              and (account_id, order_id) > ($2, $3)
            order by account_id, order_id limit $4`,
    values: [accountId ?? null, after?.accountId ?? '', after?.orderId ?? '', limit],
  });
  return rows;
}

export async function listFlaggedTransactions(
  database: Queryable,
  { accountId, after, limit }: Page<Flagged>,
): Promise<Flagged[]> {
  const { rows } = await database.query<Flagged>({
    text: `select account_id as "accountId", order_id as "orderId", transaction_id as "transactionId", flags,
                  coalesce(finished_at, recorded_at, started_at, 'epoch') as "happenedAt"
             from transactions
            where flags <> '{}' and ($1::text is null or account_id = $1)
              and (account_id, order_id, transaction_id) > ($2, $3, $4)
            order by account_id, order_id, transaction_id limit $5`,
    values: [
      accountId ?? null,
      after?.accountId ?? '',
      after?.orderId ?? '',
      after?.transactionId ?? '',
      limit,
    ],
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
