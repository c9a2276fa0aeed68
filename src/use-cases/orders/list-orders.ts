/** Lists the newest orders for an operator, of one account or of all. */
import { firstOrderIdAt } from '../../domain/ids.ts';
import { type OrderStatus, orderStatus } from '../../domain/orders/order.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import {
  type NewestPage,
  type NewestQuery,
  type NewestScope,
  readNewest,
} from '../../services/read-newest.ts';
import {
  listHighestKeys,
  listNewestOrders,
  type NewestOrder,
  newestOrders,
} from '../../store/inbox/newest.ts';

type Needs = { readonly database: Database; readonly clock: Clock };

export type OrdersQuery = NewestQuery & {
  readonly status: OrderStatus | undefined;
  readonly since: Date | undefined;
};

export type ListedOrder = NewestOrder & { readonly status: OrderStatus };

export async function listOrders(
  { database, clock }: Needs,
  scope: NewestScope,
  { status, since, ...query }: OrdersQuery,
): Promise<NewestPage<ListedOrder>> {
  const now = clock();
  const from = since && firstOrderIdAt(since);
  return readNewest<ListedOrder>(
    scope,
    {
      keyOf: ({ orderId }) => orderId,
      listHighest: (before) => listHighestKeys(database, newestOrders({ before, from })),
      read: async (accountId, range) => {
        const orders = await listNewestOrders(database, accountId, { ...range, from });
        return orders.map((order) => ({ ...order, status: orderStatus(order, now) }));
      },
      // No index contains the status, because every change of it would have to write to that index.
      isWanted: (order) =>
        (status === undefined || order.status === status) &&
        (since === undefined || order.createdAt >= since),
    },
    query,
  );
}
