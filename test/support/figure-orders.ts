/** Orders with transactions and history for tests of figures and lists, and an independent count of their figures. */

import { newOrderId } from '../../src/domain/ids.ts';
import type { Order, OrderStatus } from '../../src/domain/orders/order.ts';
import { type Figure, type FigureKind, figureKinds } from '../../src/domain/reports/figure.ts';
import { slotOf } from '../../src/domain/reports/slot.ts';
import type { Database } from '../../src/postgres/database.ts';
import { insertOrders } from '../../src/store/orders/insert-orders.ts';
import { storedOrder } from './stored-orders.ts';

export type MadeTransaction = {
  readonly type: 'payment' | 'refund';
  readonly status: 'pending' | 'failed' | 'succeeded' | 'reversed';
  readonly provider: string;
  readonly mode: string | null;
  readonly failure: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly flags?: readonly string[];
  readonly pspId?: string;
};

export type MadeOrder = {
  readonly order: Order;
  readonly transactions: readonly MadeTransaction[];
};

let made = 0;

export async function makeOrder(
  database: Database,
  fields: Pick<Order, 'accountId' | 'createdAt'> & Partial<Order>,
): Promise<Order> {
  made += 1;
  const order = storedOrder({
    invoiceId: `FIGURE-${made}`,
    orderId: newOrderId(fields.createdAt),
    ...fields,
  });
  await insertOrders(database, [order]);
  await database.query({
    text: 'update orders set flags = $3 where account_id = $1 and order_id = $2',
    values: [order.accountId, order.orderId, order.flags],
  });
  return order;
}

/** Replaces the transactions of an order, and records the change in its history. */
export async function changeOrder(
  database: Database,
  { accountId, orderId, amounts }: Order,
  change: {
    readonly status: OrderStatus;
    readonly transactions: readonly MadeTransaction[];
    readonly at: Date;
  },
): Promise<void> {
  const { status, transactions, at } = change;
  await database.transaction(async (tx) => {
    const key = [accountId, orderId];
    await tx.query({
      text: 'update orders set status = $3, attempts = $4 where account_id = $1 and order_id = $2',
      values: [...key, status, transactions.length],
    });
    await tx.query({
      text: 'delete from transactions where account_id = $1 and order_id = $2',
      values: key,
    });
    for (const [index, one] of transactions.entries()) {
      await tx.query({
        text: `insert into transactions (account_id, order_id, transaction_id, type, provider,
                 psp_transaction_id, status, amount, currency, fields, flags, notices, moved_amount)
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '[]', $12)`,
        values: [
          ...key,
          `${orderId}-${260_101_000_000 + index}`,
          one.type,
          one.provider,
          one.pspId ?? null,
          one.status,
          one.amount,
          one.currency,
          fieldsOf(one),
          ...[one.flags ?? [], movedBy(one, amounts.currency)],
        ],
      });
    }
    await tx.query({
      text: `insert into history (account_id, order_id, position, cause, happened_at, entries)
             select $1, $2, coalesce(max(position), 0) + 1, 'test', $3, '[]' from history
              where account_id = $1 and order_id = $2`,
      values: [...key, at],
    });
  });
}

function movedBy({ status, currency, amount }: MadeTransaction, orderCurrency: string): number {
  return status === 'succeeded' && currency === orderCurrency ? amount : 0;
}

function fieldsOf({ mode, failure }: MadeTransaction) {
  return JSON.stringify({
    ...(mode !== null && { paymentMode: mode }),
    ...(failure !== null && { failure: { code: failure } }),
  });
}

export type SlotFigures = ReadonlyMap<string, readonly string[]>;

/** The figures that these orders must have, by half hour, written as sorted texts. */
export function expectFigures(
  orders: readonly (MadeOrder & { status: OrderStatus })[],
): SlotFigures {
  const sums = new Map<string, { orders: Set<string>; payments: number; amount: bigint }>();
  for (const { order, status, transactions } of orders) {
    const { currency, total } = order.amounts;
    const add = (kind: FigureKind, name: string, payments: number, amount: number) => {
      const key = [slotOf(order.createdAt).toISOString(), kind, name, currency].join('|');
      const sum = sums.get(key) ?? { orders: new Set<string>(), payments: 0, amount: 0n };
      sum.orders.add(order.orderId);
      sum.payments += payments;
      sum.amount += BigInt(amount);
      sums.set(key, sum);
    };
    add('created', '', 0, total);
    if (status === 'completed') add('completed', '', 0, total);
    for (const one of transactions) {
      const amount = one.currency === currency ? one.amount : 0;
      if (one.type === 'refund') {
        if (one.status === 'succeeded') add('refunded', '', 1, amount);
        continue;
      }
      if (one.status === 'succeeded') {
        add('paid', '', 1, amount);
        add('mode', one.mode ?? '', 1, amount);
        add('provider', one.provider, 1, amount);
      }
      if (one.status === 'failed') {
        add('failed', '', 1, amount);
        add('failure', one.failure ?? '', 1, amount);
      }
    }
  }
  const bySlot = new Map<string, string[]>();
  for (const [key, { orders: own, payments, amount }] of sums) {
    const [slot = '', ...name] = key.split('|');
    const texts = bySlot.get(slot) ?? [];
    bySlot.set(slot, [...texts, [...name, own.size, payments, amount].join('|')].sort());
  }
  return new Map([...bySlot].sort());
}

/** The stored figures in the same form. */
export async function readFigures(database: Database, accountId: string): Promise<SlotFigures> {
  const { rows } = await database.query<Omit<Figure, 'amount'> & { at: Date; amount: string }>({
    text: `select starts_at as at, kind, name, currency, orders, payments, amount::text as amount
             from figures where account_id = $1 and kind = any($2::text[]) order by starts_at`,
    values: [accountId, figureKinds],
  });
  const bySlot = new Map<string, string[]>();
  for (const { at, kind, name, currency, orders, payments, amount } of rows) {
    const texts = bySlot.get(at.toISOString()) ?? [];
    const text = [kind, name, currency, orders, payments, amount].join('|');
    bySlot.set(at.toISOString(), [...texts, text].sort());
  }
  return new Map([...bySlot].sort());
}
