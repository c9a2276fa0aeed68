/**
 * Counts the figures of orders from their transactions, as the domain sees them. The stored figures are counted by the
 * database; `verify` compares them with this.
 */
import { paymentsOf, refundsOf } from '../order-state/matching.ts';
import { movedAmount } from '../order-state/tally.ts';
import type { OrderStatus } from '../orders/order.ts';
import type { Refund, Transaction } from '../payments/transaction.ts';
import {
  addFigures,
  type Figure,
  type FigureKind,
  type FigureSum,
  noFigure,
  shareKinds,
} from './figure.ts';

export type OrderToCount = {
  readonly status: OrderStatus;
  readonly currency: string;
  readonly total: number;
  readonly transactions: readonly Transaction[];
};

export function countOrder(figures: Map<string, Figure>, order: OrderToCount): void {
  const { currency, total, transactions } = order;
  const add = (kind: FigureKind, name: string, sum: FigureSum) => {
    const key = `${kind} ${name} ${currency}`;
    const known = figures.get(key) ?? noFigure;
    figures.set(key, { kind, name, currency, ...addFigures(known, sum) });
  };
  const addOrder = (kind: FigureKind) =>
    add(kind, '', { ...noFigure, orders: 1, amount: BigInt(total) });
  const addAll = (kind: FigureKind, name: string, counted: readonly Transaction[]) => {
    if (counted.length === 0) return;
    const amount = counted.reduce((sum, entry) => sum + amountOf(entry, currency), 0n);
    add(kind, name, { orders: 1, payments: counted.length, amount });
  };
  addOrder('created');
  if (order.status === 'completed') addOrder('completed');
  const payments = paymentsOf(transactions);
  const paid = payments.filter(({ status }) => status === 'succeeded');
  const failed = payments.filter(({ status }) => status === 'failed');
  const isRefunded = (refund: Refund) =>
    refund.status === 'succeeded' || movedAmount(refund, currency) > 0;
  addAll('paid', '', paid);
  addAll('failed', '', failed);
  addAll('refunded', '', refundsOf(transactions).filter(isRefunded));
  const shares = {
    mode: Map.groupBy(paid, ({ paymentMode }) => paymentMode ?? ''),
    provider: Map.groupBy(paid, ({ provider }) => provider),
    failure: Map.groupBy(failed, ({ failure }) => failure?.code ?? ''),
  } as const;
  for (const kind of shareKinds) {
    for (const [name, own] of shares[kind]) addAll(kind, name, own);
  }
}

/** A failed payment has the amount that was tried; everything else what was moved. */
function amountOf(entry: Transaction, currency: string): bigint {
  if (entry.status !== 'failed') return BigInt(movedAmount(entry, currency));
  return entry.currency === currency ? BigInt(entry.amount ?? 0) : 0n;
}
