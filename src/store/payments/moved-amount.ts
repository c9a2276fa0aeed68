/** The column `moved_amount` of transactions. Rows of an earlier release have none, and follow from the other columns. */
import type { MinorUnits } from '../../domain/money/money.ts';

/** The SQL expression for the transaction `t` of an order with this currency. */
export function movedAmountOf(orderCurrency: string): string {
  return `coalesce(t.moved_amount, case when t.status = 'succeeded'
            and coalesce(t.currency, ${orderCurrency}) = ${orderCurrency} then t.amount end, 0)`;
}

/** The SQL condition for a refund `t` of which something reached the consumer. */
export const isRefunded = `t.type = 'refund' and (t.status = 'succeeded' or t.moved_amount > 0)`;

type MovedRow = {
  readonly moved: MinorUnits | null;
  readonly status: string;
  readonly currency: string | null;
  readonly amount: MinorUnits | null;
};

/** The same for a row that was read. */
export function readMoved({ moved, status, currency, amount }: MovedRow, orderCurrency: string) {
  if (moved !== null) return moved;
  const isMoved = status === 'succeeded' && (currency ?? orderCurrency) === orderCurrency;
  return isMoved ? (amount ?? 0) : 0;
}
