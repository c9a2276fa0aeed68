/**
 * Counts the figures of orders from their transactions, as the domain sees them. The stored figures are counted by the
 * database; `verify` compares them with this.
 */

import { movedAmount } from '../order-state/tally.ts';
import type { OrderStatus } from '../orders/order.ts';
import type { Payment, Transaction } from '../payments/transaction.ts';
import { addFigures, type Figure, type FigureKind, type FigureSum, noFigure } from './figure.ts';

export type OrderToCount = {
  readonly status: OrderStatus;
  readonly currency: string;
  readonly total: number;
  readonly transactions: readonly Transaction[];
};

/** Adds an order to the figures of its half hour. */
export function countOrder(figures: Map<string, Figure>, order: OrderToCount): void {
  const { currency, total, transactions } = order;
  const add = (kind: FigureKind, name: string, sum: FigureSum) => {
    const key = `${kind} ${name} ${currency}`;
    const known = figures.get(key) ?? noFigure;
    figures.set(key, { kind, name, currency, ...addFigures(known, sum) });
  };
  const addOrder = (kind: FigureKind) =>
    add(kind, '', { ...noFigure, orders: 1, amount: big(total) });
  const addAll = (kind: FigureKind, name: string, counted: readonly Transaction[]) => {
    if (counted.length === 0) return;
    const amount = counted.reduce((sum, entry) => sum + amountOf(entry, currency), 0n);
    add(kind, name, { orders: 1, payments: counted.length, amount });
  };
  addOrder('created');
  if (order.status === 'completed') addOrder('completed');
  const payments = transactions.filter((entry): entry is Payment => entry.type === 'payment');
  const paid = payments.filter(({ status }) => status === 'succeeded');
  const failed = payments.filter(({ status }) => status === 'failed');
  addAll('paid', '', paid);
  addAll('failed', '', failed);
  addAll(
    'refunded',
    '',
    transactions.filter((entry) => isRefunded(entry, currency)),
  );
  for (const [name, own] of Map.groupBy(paid, ({ paymentMode }) => paymentMode ?? '')) {
    addAll('mode', name, own);
  }
  for (const [name, own] of Map.groupBy(paid, ({ provider }) => provider)) {
    addAll('provider', name, own);
  }
  for (const [name, own] of Map.groupBy(failed, ({ failure }) => failure?.code ?? '')) {
    addAll('failure', name, own);
  }
}

/** A failed payment has the amount that was tried; everything else what was moved. */
function amountOf(entry: Transaction, currency: string): bigint {
  if (entry.status !== 'failed') return big(movedAmount(entry, currency));
  return entry.currency === currency ? big(entry.amount ?? 0) : 0n;
}

function isRefunded(entry: Transaction, currency: string): boolean {
  if (entry.type !== 'refund') return false;
  return entry.status === 'succeeded' || movedAmount(entry, currency) > 0;
}

function big(amount: number): bigint {
  return BigInt(amount);
}
