/** Lists orders that match a filter, newest first, of one account or of several. See docs/decisions/0046. */

import { refuseField } from '../../domain/errors.ts';
import { isOrderId } from '../../domain/ids.ts';
import { type OrderStatus, orderStatus } from '../../domain/orders/order.ts';
import { checkFilter, type OrderFilter } from '../../domain/orders/order-filter.ts';
import { type Effort, type ListedAccounts, readNewest } from '../../services/read-newest.ts';
import type { Services } from '../../services/services.ts';
import { findFilteredOrders } from '../../store/orders/filtered-orders.ts';
import { listOrderRows, type OrderListRow } from '../../store/orders/order-list-rows.ts';

type OrdersQuery = {
  readonly filter: OrderFilter;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
  readonly effort?: Effort;
};

export type ListedOrder = OrderListRow & { readonly status: OrderStatus };

type OrdersPage = {
  readonly orders: readonly ListedOrder[];
  /** How many orders were looked at to find these. */
  readonly lookedAt: number;
  /** An order id; undefined after the last order. A page with a next one may have few orders, or none. */
  readonly next: string | undefined;
};

export async function listOrders(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  accounts: ListedAccounts,
  { filter, ...query }: OrdersQuery,
): Promise<OrdersPage> {
  checkFilter(filter);
  const { after } = query;
  if (after !== undefined && !isOrderId(after)) refuseField('after', 'must be the next of a page');
  const now = clock();
  const { rows, lookedAt, next } = await readNewest(
    database,
    accounts,
    { ...query, after },
    {
      find: (from, accountId, range) =>
        findFilteredOrders(from, accountId, { ...range, filter, now }),
      cursorOf: ({ orderId }) => orderId,
    },
  );
  const orders = await listOrderRows(database, rows);
  return {
    orders: orders.map((row) => ({ ...row, status: orderStatus(row, now) })),
    ...{ lookedAt, next: next?.orderId },
  };
}
