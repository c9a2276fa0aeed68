/** Checks all orders, page by page: each order against its own rows, and each row against its order. */
import { eventIdOf } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { listCompleteSince } from '../../store/accounts/endpoints.ts';
import { listDeliveriesOfOrder } from '../../store/inbox/deliveries.ts';
import { listHistoryRows } from '../../store/orders/history.ts';
import {
  type Breach,
  findMissingAccounts,
  foreignReference,
  type RowsAfter,
} from '../../store/upkeep/invariants.ts';
import {
  listEventsOfOrder,
  type OrderPage,
  type OrdersAfter,
  readOrderPage,
} from '../../store/upkeep/order-pages.ts';
import { lockOrderState, orderKeyOf, orderSummaryOf } from '../order-state/lock-order-state.ts';
import { checkOrderState, type OrderToCheck } from './check-order-state.ts';
import { type CheckedPage, nameBreaches } from './invariant-names.ts';

const pageSizeMax = 1_000;

export async function* checkOrders(
  services: Pick<Services, 'database' | 'clock'>,
  { after, accountId }: Omit<RowsAfter, 'limit'>,
): AsyncGenerator<CheckedPage> {
  const [accountOfLast = '', orderId = ''] = after ?? [];
  const lastOrder = after && { accountId: accountOfLast, orderId };
  const pages = readPages(services.database, { after: lastOrder, accountId });
  let next: Promise<IteratorResult<OrderPage, undefined>> | undefined = pages.next();
  while (next) {
    const { value: page }: IteratorResult<OrderPage, undefined> = await next;
    // The database reads the next page while this one is checked.
    next = page && !page.isLast ? pages.next() : undefined;
    // Its failure is reported when it is awaited; until then it must not count as unhandled.
    next?.catch(() => {});
    if (page) yield await checkPage(services, page);
  }
}

/** Pages become smaller where orders have many rows. */
async function* readPages(
  database: Database,
  { after, accountId }: OrdersAfter,
): AsyncGenerator<OrderPage, undefined> {
  let size = pageSizeMax;
  for (let last = after; ; ) {
    const page = await readOrderPage(database, { after: last, accountId }, size);
    if (!page) {
      size = Math.ceil(size / 10);
      continue;
    }
    yield page;
    if (page.isLast) return undefined;
    last = page.orders.at(-1);
    size = Math.min(size * 2, pageSizeMax);
  }
}

async function checkPage(
  services: Pick<Services, 'database' | 'clock'>,
  page: OrderPage,
): Promise<CheckedPage> {
  const { database, clock } = services;
  const now = clock();
  const { orders, transactions } = page;
  const accountIds = [...new Set(orders.map(({ accountId }) => accountId))];
  const { found, foreign } = assignRows(page, await listCompleteSince(database, accountIds));
  const missing = new Set(await findMissingAccounts(database, accountIds));
  const withoutAccount = orders
    .filter(({ accountId }) => missing.has(accountId))
    .map(({ orderId }) => ({ where: orderId, what: foreignReference('orders', 'accounts') }));
  const breaches = nameBreaches('accounts', [...foreign, ...withoutAccount]);
  let prunedInboxes = 0;
  let prunedHistories = 0;
  for (const order of found.values()) {
    const first = checkOrderState(order, now);
    const checked = first.breaches.length === 0 ? first : await checkAgain(services, order, now);
    prunedInboxes += Number(checked.isInboxPruned);
    prunedHistories += Number(checked.isHistoryPruned);
    breaches.push(...checked.breaches);
  }
  const last = orders.at(-1);
  const counted = { orders: orders.length, transactions: transactions.length };
  return {
    rows: orders.length,
    last: last && [last.accountId, last.orderId],
    breaches,
    sums: { ...counted, prunedInboxes, prunedHistories },
  };
}

/** Each order with its rows, and the rows whose account has no such order. Contract 9.7. */
function assignRows(
  { orders, transactions, history, deliveries, events }: OrderPage,
  completeSince: ReadonlyMap<string, Date>,
) {
  const found = new Map(
    orders.map((order) => {
      const orderState = {
        order,
        transactions: [] as Array<OrderPage['transactions'][number]['transaction']>,
        held: order.heldNotices ?? [],
        summary: orderSummaryOf(order),
      };
      const rows = {
        history: [] as Array<OrderPage['history'][number]>,
        deliveries: [] as Array<OrderPage['deliveries'][number]>,
        events: [] as Array<OrderPage['events'][number]>,
      };
      const since = completeSince.get(order.accountId);
      return [orderKeyOf(order), { orderState, ...rows, completeSince: since }];
    }),
  );
  const foreign: Breach[] = [];
  const find = (table: string, orderId: string | null, accountId: string, where: string) => {
    const order = found.get(orderKeyOf({ accountId, orderId: orderId ?? '' }));
    if (!order) foreign.push({ where, what: foreignReference(table, 'orders') });
    return order;
  };
  for (const { accountId, orderId, transaction } of transactions) {
    const order = find('transactions', orderId, accountId, transaction.transactionId);
    order?.orderState.transactions.push(transaction);
  }
  for (const entry of history) {
    find('history', entry.orderId, entry.accountId, entry.orderId)?.history.push(entry);
  }
  for (const event of events) {
    find('events', event.orderId, event.accountId, eventIdOf(event))?.events.push(event);
  }
  for (const delivery of deliveries) {
    const { accountId, orderId, deliveryId } = delivery;
    find('deliveries', orderId, accountId, deliveryId)?.deliveries.push(delivery);
  }
  return { found, foreign };
}

/** An apparent breach counts if it is still there when nobody else can change the order. */
async function checkAgain(
  { database }: Pick<Services, 'database'>,
  order: OrderToCheck,
  now: Date,
) {
  const { accountId, orderId } = order.orderState.order;
  return database.transaction(async (tx) => {
    const orderState = await lockOrderState(tx, accountId, orderId);
    const history = await listHistoryRows(tx, { accountId, orderId });
    const deliveries = await listDeliveriesOfOrder(tx, accountId, orderId);
    const events = await listEventsOfOrder(tx, { accountId, orderId });
    const { completeSince } = order;
    return checkOrderState({ orderState, history, deliveries, events, completeSince }, now);
  });
}
