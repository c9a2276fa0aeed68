/** Checks all orders, page by page: each order against its own rows, and each row against its order. */
import { eventIdOf } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { listCompleteSince } from '../../store/accounts/endpoints.ts';
import { listDisputesOfOrder } from '../../store/disputes/dispute-rows.ts';
import { listDeliveriesOfOrder } from '../../store/inbox/deliveries.ts';
import type { OrderKey } from '../../store/order-rows.ts';
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

async function checkPage(services: Pick<Services, 'database' | 'clock'>, page: OrderPage) {
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
  for (const order of found) {
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
  { orders, transactions, history, deliveries, events, disputes }: OrderPage,
  completeSince: ReadonlyMap<string, Date>,
) {
  const known = new Set(orders.map(orderKeyOf));
  const foreign: Breach[] = [];
  const assign = <Row extends { readonly accountId: string; readonly orderId: string | null }>(
    table: string,
    rows: readonly Row[],
    nameOf: (row: Row) => string,
  ) => {
    const keyOf = ({ accountId, orderId }: Row) =>
      orderKeyOf({ accountId, orderId: orderId ?? '' });
    const strays = rows.filter((row) => !known.has(keyOf(row)));
    const what = foreignReference(table, 'orders');
    foreign.push(...strays.map((row) => ({ where: nameOf(row), what })));
    const byOrder = Map.groupBy(rows, keyOf);
    return (order: OrderKey) => byOrder.get(orderKeyOf(order)) ?? [];
  };
  const transactionsOf = assign(
    'transactions',
    transactions,
    (row) => row.transaction.transactionId,
  );
  const historyOf = assign('history', history, ({ orderId }) => orderId);
  const eventsOf = assign('events', events, eventIdOf);
  const disputesOf = assign('disputes', disputes, ({ dispute }) => dispute.disputeId);
  const deliveriesOf = assign('deliveries', deliveries, ({ deliveryId }) => deliveryId);
  const found = orders.map((order) => ({
    orderState: {
      order,
      transactions: transactionsOf(order).map(({ transaction }) => transaction),
      held: order.heldNotices ?? [],
      ...(order.disputeNotices && { disputeNotices: order.disputeNotices }),
      summary: orderSummaryOf(order),
    },
    history: historyOf(order),
    deliveries: deliveriesOf(order),
    events: eventsOf(order),
    disputes: disputesOf(order),
    completeSince: completeSince.get(order.accountId),
  }));
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
    const disputes = await listDisputesOfOrder(tx, { accountId, orderId });
    const stored = { orderState, history, deliveries, events, disputes };
    return checkOrderState({ ...stored, completeSince: order.completeSince }, now);
  });
}
