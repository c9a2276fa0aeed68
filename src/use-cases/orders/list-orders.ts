/**
 * Lists orders or transactions that match a filter, newest first, of one account or of several, and what the filters of
 * orders can be set to. See docs/decisions/0046.
 */
import { refuseField } from '../../domain/errors.ts';
import { isOrderId } from '../../domain/ids.ts';
import { currencyCodes } from '../../domain/money/currency.ts';
import { type OrderStatus, orderStatus } from '../../domain/orders/order.ts';
import { checkFilter, type OrderFilter } from '../../domain/orders/order-filter.ts';
import { deliveryFlags, reviewFlags } from '../../domain/review-flag.ts';
import { providers } from '../../providers/providers.ts';
import { type ListedAccounts, type NewestQuery, readNewest } from '../../services/read-newest.ts';
import type { Services } from '../../services/services.ts';
import { findFilteredOrders } from '../../store/orders/filtered-orders.ts';
import {
  listOrderRows,
  listRecentCurrencies,
  type OrderListRow,
} from '../../store/orders/order-list-rows.ts';
import {
  findFilteredTransactions,
  type TransactionFilter,
} from '../../store/payments/transaction-lists.ts';

export type ListedOrder = OrderListRow & { readonly status: OrderStatus };

/** `next` is an order id. A page with a next one may have few orders, or none: it looks at a limited number. */
export async function listOrders(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  accounts: ListedAccounts,
  { filter, ...query }: NewestQuery & { readonly filter: OrderFilter },
) {
  const { after } = query;
  checkFilter(filter);
  if (after !== undefined && !isOrderId(after)) refuseField('after', 'must be the next of a page');
  const now = clock();
  const { rows, lookedAt, next } = await readNewest(database, accounts, query, {
    find: (from, accountId, range) =>
      findFilteredOrders(from, accountId, { ...range, filter, now }),
    cursorOf: ({ orderId }) => orderId,
  });
  const orders = await listOrderRows(database, rows);
  return {
    orders: orders.map((row) => ({ ...row, status: orderStatus(row, now) })),
    lookedAt,
    next: next?.orderId,
  };
}

/** Payments and refunds for an operator: those of the newest orders first, or those of one order. `after` is a transaction id. */
export function listTransactions(
  { database }: Pick<Services, 'database'>,
  accounts: ListedAccounts,
  { filter, ...query }: NewestQuery & { readonly filter: TransactionFilter },
) {
  return readNewest(database, accounts, query, {
    find: (from, accountId, range) =>
      findFilteredTransactions(from, accountId, { ...range, filter }),
    cursorOf: ({ transactionId }) => transactionId,
  });
}

/** In the order in which they are offered. The currencies of recent orders come first, the most frequent one before. */
export async function listFilterChoices(
  { database }: Pick<Services, 'database'>,
  accountId: string,
) {
  const recent = await listRecentCurrencies(database, accountId);
  return {
    providers: providers.map(({ name, displayName }) => ({ name, displayName })),
    flags: reviewFlags.filter((flag) => !deliveryFlags.has(flag)).toSorted(),
    currencies: [...new Set([...recent, ...currencyCodes.toSorted()])],
  };
}
