/**
 * Inserts the orders of a batch with one commit, and finds the deliveries parked for them. Orders with a payment link have
 * a batch of their own, so that the others cost what they would cost without links.
 */
import type { Order } from '../../domain/orders/order.ts';
import { defineRows } from '../../postgres/binary-rows.ts';
import type { Database, Queryable, Transaction } from '../../postgres/database.ts';
import { insertRows } from '../../postgres/insert-rows.ts';
import { inOrder } from '../../postgres/statement.ts';
import { type KnownNames, listParkedDeliveries } from '../inbox/parked-deliveries.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';

/** An order that is inserted together with its payment link. */
export type LinkedOrder = Order & { readonly linkId: string };

export type InsertedOrder = {
  /** False when its invoice has an order already. */
  readonly isNew: boolean;
  /** The deliveries parked for its invoice. None can be parked for its id, which is new. */
  readonly parked: readonly string[];
};

/**
 * Ends the race between an order and the delivery that names it: a delivery looks for its order after it is stored, and
 * parked deliveries are listed here after the orders are committed, so at least one side sees the other.
 */
export async function insertOrdersAndLook(database: Database, orders: readonly Order[]) {
  return database.pipelined(async (connection) => {
    const [isNew, parked] = await inOrder([
      () => insertOrders(connection, orders),
      () => listParkedDeliveries(connection, orders.map(toKnownNames)),
    ]);
    return toInserted(isNew, parked);
  });
}

/** The same with the links of the new orders. */
export async function insertLinkedOrdersAndLook(
  database: Database,
  orders: readonly LinkedOrder[],
): Promise<InsertedOrder[]> {
  return database.transaction(
    (tx) => insertLinkedOrders(tx, orders),
    async (isNew, connection) =>
      toInserted(isNew, await listParkedDeliveries(connection, orders.map(toKnownNames))),
  );
}

function toKnownNames({ accountId, invoiceId }: Order): KnownNames {
  return { accountId, names: [invoiceId] };
}

function toInserted(isNew: readonly boolean[], parked: readonly string[][]): InsertedOrder[] {
  return isNew.map((own, index) => ({ isNew: own, parked: parked[index] ?? [] }));
}

const rows = defineRows<Order>(
  {
    text: ['accountId', 'orderId', 'invoiceId', 'userId'],
    integer: ['attempts'],
    json: ['details'],
    bytea: ['contentDigest'],
    timestamptz: ['createdAt', 'lapsesAt'],
  },
  {
    status: ['text', ({ savedStatus }) => savedStatus],
    currency: ['text', ({ amounts }) => amounts.currency],
    amount_before_tax: ['bigint', ({ amounts }) => amounts.beforeTax],
    tax: ['bigint', ({ amounts }) => amounts.tax],
    total_amount: ['bigint', ({ amounts }) => amounts.total],
    exchange_rate: ['text', ({ conversion }) => conversion?.rate],
    original_currency: ['text', ({ conversion }) => conversion?.original.currency],
    original_amount_before_tax: ['bigint', ({ conversion }) => conversion?.original.beforeTax],
    original_tax: ['bigint', ({ conversion }) => conversion?.original.tax],
    original_total_amount: ['bigint', ({ conversion }) => conversion?.original.total],
  },
);

/**
 * For each order whether it is new: false when its invoice already has an order, in the database or earlier in the
 * batch. Orders are inserted sorted, so that two batches with the same invoices lock them in the same order.
 */
export async function insertOrders(database: Queryable, orders: readonly Order[]) {
  const result = await database.query<{ order_id: string }>(
    insertRows({
      name: 'insert-orders',
      into: 'orders',
      rows,
      entries: orders,
      key: ({ accountId, invoiceId }) => [accountId, invoiceId],
      end: 'on conflict (account_id, invoice_id) do nothing returning order_id',
    }),
  );
  const inserted = new Set(result.rows.map((row) => row.order_id));
  return orders.map(({ orderId }) => inserted.has(orderId));
}

const linkRows = defineAccountRows<LinkedOrder>({
  text: ['linkId', 'orderId'],
  timestamptz: ['createdAt'],
});

/** For each order whether it is new. The transaction ensures that no order is stored without its link. */
export async function insertLinkedOrders(tx: Transaction, orders: readonly LinkedOrder[]) {
  const [isNew] = await inOrder([() => insertOrders(tx, orders), () => insertLinks(tx, orders)]);
  return isNew;
}

/**
 * The join leaves out orders that were not inserted: order ids are new, so only this batch can have stored them. It may
 * have done so before the connection was lost, and then the link exists too.
 */
async function insertLinks(tx: Transaction, orders: readonly LinkedOrder[]) {
  await linkRows.query(tx, orders, 'insert-links')`
    insert into payment_links (account_id, link_id, order_id, created_at)
    select ${accountOf('row')}, row.link_id, o.order_id, row.created_at
      from ${linkRows.from} join orders o
        on o.account_id = ${accountOf('row')} and o.order_id = row.order_id
    on conflict (account_id, order_id) do nothing`;
}
