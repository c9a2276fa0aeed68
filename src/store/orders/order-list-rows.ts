/** Rows of order lists: orders with a summary of their transactions; and the currencies of the newest orders. */
import type { MinorUnits } from '../../domain/money/money.ts';
import type { OrderStatus, User } from '../../domain/orders/order.ts';
import { sortedOnce } from '../../domain/payments/transaction.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { isClaiming } from '../disputes/disputes.ts';
import { type OrderKey, orderIds } from '../order-rows.ts';
import { listValues } from '../query.ts';

export type OrderListRow = OrderKey & {
  readonly invoiceId: string;
  readonly savedStatus: OrderStatus;
  readonly attempts: number;
  readonly currency: string;
  readonly total: MinorUnits;
  /** What payments and refunds have moved, in the currency of the order. */
  readonly paid: MinorUnits;
  readonly refunded: MinorUnits;
  /** Of the order itself, resolved ones included. */
  readonly ownFlags: readonly ReviewFlag[];
  /** Of the order and its transactions. */
  readonly flags: readonly ReviewFlag[];
  readonly createdAt: Date;
  readonly lapsesAt: Date;
  readonly user: User | null;
  /** It has a dispute that is not final, or was lost. */
  readonly isDisputed: boolean;
  /** The one that succeeded, or else the last one. */
  readonly payment: PaymentSummary | null;
};

type PaymentSummary = {
  readonly transactionId: string;
  readonly status: string;
  readonly provider: string;
  readonly mode: string | null;
  readonly failure: string | null;
};

type OrderPart = Omit<OrderListRow, 'flags' | 'paid' | 'refunded' | 'payment' | 'isDisputed'>;

type TransactionPart = PaymentSummary & {
  readonly orderId: string;
  readonly type: 'payment' | 'refund';
  readonly amount: MinorUnits | null;
  readonly currency: string | null;
  readonly moved: MinorUnits;
  readonly flags: readonly ReviewFlag[];
};

/** In the order of the names. Orders that do not exist are left out. */
export async function listOrderRows(database: Database, names: readonly OrderKey[]) {
  const [orders, transactions, disputes] = await database.pipelined((connection) =>
    Promise.all([
      orderIds.query<OrderPart>(connection, names)`
        select ${columnsOf('accountId, orderId, invoiceId')}, status as "savedStatus", attempts,
               currency, total_amount as total, flags as "ownFlags",
               ${columnsOf('createdAt, lapsesAt')}, details -> 'user' as "user"
          from orders where account_id = $1 and order_id = any($2::text[])`,
      orderIds.query<TransactionPart>(connection, names)`
        select ${columnsOf('orderId, transactionId, type, status, provider, amount, currency')},
               moved_amount as moved, flags, fields ->> 'paymentMode' as mode,
               fields -> 'failure' ->> 'code' as failure
          from transactions where account_id = $1 and order_id = any($2::text[])
         order by order_id, transaction_id`,
      orderIds.query<Pick<OrderPart, 'orderId'>>(connection, names)`
        select distinct ${columnsOf('orderId')} from disputes
         where account_id = $1 and order_id = any($2::text[]) and ${isClaiming}`,
    ]),
  );
  const byId = new Map(orders.map((order) => [order.orderId, order]));
  const byOrder = Map.groupBy(transactions, ({ orderId }) => orderId);
  const disputed = new Set(disputes.map(({ orderId }) => orderId));
  return names.flatMap(({ orderId }) => {
    const order = byId.get(orderId);
    const row = order && toRow(order, byOrder.get(orderId) ?? []);
    return row ? [{ ...row, isDisputed: disputed.has(orderId) }] : [];
  });
}

function toRow(order: OrderPart, transactions: readonly TransactionPart[]) {
  const sum = (type: 'payment' | 'refund') =>
    transactions.filter((one) => one.type === type).reduce((total, one) => total + one.moved, 0);
  const isPayment = ({ type }: TransactionPart) => type === 'payment';
  const shown =
    transactions.findLast((one) => isPayment(one) && one.status === 'succeeded') ??
    transactions.findLast(isPayment);
  return {
    ...order,
    flags: sortedOnce([...order.ownFlags, ...transactions.flatMap(({ flags }) => flags)]),
    paid: sum('payment'),
    refunded: sum('refund'),
    payment: shown ? toSummary(shown) : null,
  };
}

function toSummary({ transactionId, status, provider, mode, failure }: TransactionPart) {
  return { transactionId, status, provider, mode, failure };
}

/** Enough to find the usual currencies, and cheap to read. */
const lookedAtMax = 500;

/** The currencies of the newest orders of an account, the most frequent one first. */
export function listRecentCurrencies(database: Queryable, accountId: string) {
  return listValues<string>(database, [accountId, lookedAtMax])`
    select currency
      from (select currency from orders where account_id = $1
             order by order_id desc limit $2) newest
     group by currency order by count(*) desc, currency`;
}
