/** What `consumer erase` reads and writes: the orders, transactions and deliveries of an account. Contract 8.7. */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { HeldNotice } from '../../domain/payments/records.ts';
import type { Transaction as OrderTransaction } from '../../domain/payments/transaction.ts';
import { defineRows } from '../../postgres/binary-rows.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import type { OrderKey } from '../order-rows.ts';
import { fieldsOf } from '../payments/transaction-rows.ts';
import { execute, listRows } from '../query.ts';

export type ListedOrder = Pick<Order, 'orderId' | 'userId' | 'details'> & {
  readonly earlierConsumers?: Order['earlierConsumers'] | null;
};

/** One page of an account's orders, by id. */
export function listOrdersOfAccount(
  database: Queryable,
  accountId: string,
  after: string,
  limit: number,
) {
  return listRows<ListedOrder>(database, [accountId, after, limit])`
    select ${columnsOf('orderId, userId, details, earlierConsumers')} from orders
     where account_id = $1 and order_id > $2 order by order_id limit $3`;
}

export type StoredBody = Pick<Delivery, 'deliveryId' | 'provider' | 'orderId' | 'why'> & {
  readonly body: Buffer;
};

const bodyColumns = columnsOf('deliveryId, provider, orderId, why, body');

/** One page of an account's deliveries that still have their body, by id. */
export function listBodies(database: Queryable, accountId: string, after: string, limit: number) {
  return listRows<StoredBody>(database, [accountId, after, limit])`
    select ${bodyColumns} from deliveries
     where account_id = $1 and delivery_id > $2 and body is not null
     order by delivery_id limit $3`;
}

/** Must run before the order is locked: applying a delivery locks in this order too, so the two cannot deadlock. */
export async function lockDeliveryIdsOfOrder(tx: Transaction, { accountId, orderId }: OrderKey) {
  await execute(tx, [accountId, orderId])`
    select delivery_id from deliveries where account_id = $1 and order_id = $2
     order by provider, delivery_key for update`;
}

/** The order must be locked, so that no delivery is added between two pages. */
export function listBodiesOfOrder(
  tx: Transaction,
  { accountId, orderId }: OrderKey,
  after: string,
  limit: number,
) {
  return listRows<StoredBody>(tx, [accountId, orderId, after, limit])`
    select ${bodyColumns} from deliveries
     where account_id = $1 and order_id = $2 and delivery_id > $3 and body is not null
     order by delivery_id limit $4`;
}

/** Skips deliveries that were applied to an order since they were listed: those are erased with their order. */
export function lockUnlinkedBodies(
  tx: Transaction,
  accountId: string,
  deliveryIds: readonly string[],
) {
  return listRows<StoredBody>(tx, [accountId, deliveryIds])`
    select ${bodyColumns} from deliveries
     where account_id = $1 and delivery_id = any($2::text[])
       and order_id is null and body is not null
     order by provider, delivery_key for update`;
}

type ErasedBody = Pick<StoredBody, 'deliveryId' | 'why' | 'body'>;

const erasedBodies = defineRows<ErasedBody>({ text: ['deliveryId', 'why'], bytea: ['body'] });

/** Keys and states stay, so that a repeated delivery is still recognised. */
export async function saveErasedBodies(
  tx: Transaction,
  accountId: string,
  erased: readonly ErasedBody[],
  at: Date,
) {
  if (erased.length === 0) return;
  await execute(tx, [...erasedBodies.toParameters(erased), accountId, at])`
    update deliveries d set body = row.body, why = row.why, erased_at = $5
      from ${erasedBodies.from}
     where d.account_id = $4 and d.delivery_id = row.delivery_id`;
}

/** The order must be locked. */
export async function saveErasedOrder(
  tx: Transaction,
  { accountId, orderId, details, userId, contentDigest, earlierConsumers }: Order,
  held: readonly HeldNotice[],
  at: Date,
) {
  const values = [
    accountId,
    orderId,
    JSON.stringify(details),
    userId,
    contentDigest,
    held.length === 0 ? null : JSON.stringify(held),
    at,
    earlierConsumers ? JSON.stringify(earlierConsumers) : null,
  ];
  await execute(tx, values)`
    update orders set details = $3, user_id = $4, content_digest = $5, held_notices = $6, erased_at = $7,
                      earlier_consumers = $8
     where account_id = $1 and order_id = $2`;
}

const erasedRows = defineRows<OrderTransaction>(
  { text: ['transactionId'], json: ['start', 'notices'] },
  { fields: ['jsonb', fieldsOf] },
);

/** Also removes the link to the consumer who paid. The order must be locked. */
export async function saveErasedTransactions(
  tx: Transaction,
  { accountId, orderId }: OrderKey,
  erased: readonly OrderTransaction[],
) {
  if (erased.length === 0) return;
  await execute(tx, [...erasedRows.toParameters(erased), accountId, orderId])`
    update transactions t
       set fields = row.fields, start = row.start, notices = row.notices, paid_by = null
      from ${erasedRows.from}
     where t.account_id = $5 and t.order_id = $6 and t.transaction_id = row.transaction_id`;
}
