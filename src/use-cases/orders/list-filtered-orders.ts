/**
 * Lists the orders of an account that match a filter, newest first. A page that finds few orders still ends in time: it
 * says how many orders it looked at, and the next page continues there. See docs/decisions/0046.
 */
import { refuseField } from '../../domain/errors.ts';
import { isOrderId } from '../../domain/ids.ts';
import { type OrderStatus, orderStatus } from '../../domain/orders/order.ts';
import { checkFilter, type OrderFilter } from '../../domain/orders/order-filter.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import { searchInSteps } from '../../services/search-in-steps.ts';
import { findFilteredOrders } from '../../store/orders/filtered-orders.ts';
import { listOrderRows, type OrderListRow } from '../../store/orders/order-list-rows.ts';

type Needs = { readonly database: Database; readonly clock: Clock };

export type FilteredQuery = {
  readonly filter: OrderFilter;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
};

export type ListedOrderRow = OrderListRow & { readonly status: OrderStatus };

export type FilteredPage = {
  readonly orders: readonly ListedOrderRow[];
  /** How many orders were looked at to find these. */
  readonly lookedAt: number;
  /** Undefined after the last order. A page with a next one may have few orders, or none. */
  readonly next: string | undefined;
};

export async function listFilteredOrders(
  { database, clock }: Needs,
  accountId: string,
  { filter, after, limit }: FilteredQuery,
): Promise<FilteredPage> {
  checkFilter(filter);
  const now = clock();
  const { ids, lookedAt, next } = await searchInSteps(
    (range) => findFilteredOrders(database, accountId, { ...range, filter, now }),
    { after: after === undefined ? undefined : readCursor(after), limit },
  );
  const rows = await listOrderRows(database, accountId, ids);
  return {
    orders: rows.map((row) => ({ ...row, status: orderStatus(row, now) })),
    lookedAt,
    next: next === undefined ? undefined : writeCursor(next),
  };
}

function writeCursor(orderId: string): string {
  return Buffer.from(orderId).toString('base64url');
}

function readCursor(text: string): string {
  const orderId = Buffer.from(text, 'base64url').toString();
  return isOrderId(orderId) ? orderId : refuseField('after', 'must be the next of a page');
}
