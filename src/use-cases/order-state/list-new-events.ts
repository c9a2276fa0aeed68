/** The events of changed orders with their numbers and their final bytes. Contract 12.3 and 12.4. */
import { type Account, liveSecrets } from '../../domain/accounts/account.ts';
import { isEnabled, wants } from '../../domain/accounts/endpoint.ts';
import { listEvents, listSilentIds, type OrderEvent } from '../../domain/events/list-events.ts';
import { type SettledOrderState, settle } from '../../domain/order-state/settle.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Transaction as OrderTransaction } from '../../domain/payments/transaction.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Announcer } from '../../services/announcer.ts';
import { enquiryOf } from '../../services/enquiry.ts';
import type { EndpointKey } from '../../store/accounts/endpoints.ts';
import { findAnnouncedIds, type NewEvent } from '../../store/events/events.ts';
import type { StoredOrder, WholeOrder } from '../../store/order-rows.ts';
import { listOrdersByKey } from '../../store/orders/orders.ts';
import { listTransactionsOf } from '../../store/payments/transactions.ts';
import { orderSummaryOf } from './describe-change.ts';
import { orderKeyOf } from './lock-order-state.ts';
import type { ChangedOrderState } from './order-changes.ts';

type AnnouncedOrder = ChangedOrderState & {
  readonly account: Account;
  readonly stages: readonly Stage[];
};

/** A state that enquiries showed, and the events that led to it. */
type Stage = {
  readonly state: SettledOrderState;
  readonly events: ReadonlyArray<OrderEvent & { readonly endpointIds: readonly string[] }>;
};

/** Must run before the changes are written: it reads what they do not touch. */
export async function listNewEvents(
  tx: Transaction,
  announcer: Announcer,
  changed: readonly ChangedOrderState[],
  now: Date,
): Promise<NewEvent[]> {
  const accounts = await findAccounts(tx, announcer, changed);
  if (accounts.size === 0) return [];
  const announced: AnnouncedOrder[] = [];
  for (const order of changed) {
    const account = accounts.get(order.before.order.accountId);
    if (account) {
      const formerIds = await findFormerIds(tx, order);
      announced.push(...findAnnounced(account, order, formerIds, now));
    }
  }
  if (announced.length === 0) return [];
  const byKey = await findWholeOrders(tx, announced);
  const events: NewEvent[] = [];
  for (const entry of announced) {
    const order = byKey.get(orderKeyOf(entry.before.order));
    if (!order) throw new Error(`order ${entry.before.order.orderId} is locked and does not exist`);
    let { eventSequence } = entry.before.order;
    for (const stage of entry.stages) {
      const { unloaded, transactions: loaded } = stage.state;
      const transactions = unloaded ? await listAllTransactions(tx, entry.before, loaded) : loaded;
      const options = { now, eventSequence };
      events.push(...renderEvents(announcer, entry, stage, order, transactions, options));
      eventSequence += stage.events.length;
    }
  }
  tx.onCommit(() => announcer.startDeliveries(listEndpointsOf(events)));
  return events;
}

/** The accounts of these orders that have an enabled endpoint. */
async function findAccounts(
  tx: Transaction,
  announcer: Announcer,
  changed: readonly ChangedOrderState[],
): Promise<ReadonlyMap<string, Account>> {
  const found = new Map<string, Account>();
  for (const accountId of new Set(changed.map(({ before }) => before.order.accountId))) {
    const account = await announcer.findAnnouncing(tx, accountId);
    if (account) found.set(accountId, account);
  }
  return found;
}

/** Most are whole already: a batch of webhooks reads them when it locks them. */
async function findWholeOrders(
  tx: Transaction,
  announced: readonly AnnouncedOrder[],
): Promise<ReadonlyMap<string, Order>> {
  const locked = announced.map(({ before }) => before.order);
  const parts = locked.filter((order) => !isWhole(order));
  const read = parts.length === 0 ? [] : await listOrdersByKey(tx, parts);
  return new Map([...locked.filter(isWhole), ...read].map((order) => [orderKeyOf(order), order]));
}

function isWhole(order: StoredOrder): order is WholeOrder {
  return 'details' in order;
}

function listEndpointsOf(events: readonly NewEvent[]): EndpointKey[] {
  const names = events.flatMap(({ accountId, endpointIds }) =>
    endpointIds.map((endpointId) => [endpointId, { accountId, endpointId }] as const),
  );
  return [...new Map(names).values()];
}

/**
 * An id is made from the provider's time. After a transaction was removed, another one of the same second gets its id, and
 * the last event of that id still says that it was removed.
 */
async function findFormerIds(
  tx: Transaction,
  { before, after }: ChangedOrderState,
): Promise<ReadonlySet<string>> {
  const { order } = before;
  const ids = order.eventSequence === 0 ? [] : listSilentIds(before, after);
  return ids.length === 0 ? new Set() : await findAnnouncedIds(tx, order, ids);
}

/** An event that no enabled endpoint wants is neither stored nor numbered. */
function findAnnounced(
  account: Account,
  changed: ChangedOrderState,
  formerIds: ReadonlySet<string>,
  now: Date,
): AnnouncedOrder[] {
  const endpoints = account.endpoints.filter(isEnabled);
  const listWanted = (before: SettledOrderState, after: SettledOrderState) =>
    listEvents(before, after, formerIds)
      .map((event) => ({
        ...event,
        endpointIds: endpoints
          .filter((endpoint) => wants(endpoint, event.type))
          .map(({ endpointId }) => endpointId),
      }))
      .filter(({ endpointIds }) => endpointIds.length > 0);
  const stages: Stage[] = [];
  let before: SettledOrderState = {
    ...changed.before,
    summary: orderSummaryOf(changed.before.order),
  };
  for (const state of [...findUnsavedLapse(changed, now), changed.after]) {
    stages.push({ state, events: listWanted(before, state) });
    before = state;
  }
  const hasEvents = stages.some(({ events }) => events.length > 0);
  return hasEvents ? [{ ...changed, account, stages }] : [];
}

/** An order lapses by itself, and enquiries show it before the sweep saves it. A payment that comes then follows it. */
function findUnsavedLapse({ before, after }: ChangedOrderState, now: Date): SettledOrderState[] {
  const { savedStatus, lapsesAt } = before.order;
  if (now < lapsesAt || savedStatus === 'lapsed' || after.summary.status === 'lapsed') return [];
  const lapsed = settle(before, now);
  return lapsed.summary.status === 'lapsed' ? [lapsed] : [];
}

/** Of a large order. Those that were not loaded have not changed. */
async function listAllTransactions(
  tx: Transaction,
  before: ChangedOrderState['before'],
  loaded: readonly OrderTransaction[],
): Promise<readonly OrderTransaction[]> {
  const known = new Set(before.transactions.map(({ transactionId }) => transactionId));
  const stored = await listTransactionsOf(tx, [before.order]);
  const unloaded = stored
    .map(({ transaction }) => transaction)
    .filter(({ transactionId }) => !known.has(transactionId));
  return [...unloaded, ...loaded];
}

function renderEvents(
  { renderChange }: Announcer,
  { before, account }: AnnouncedOrder,
  { state, events }: Stage,
  stored: Order,
  transactions: readonly OrderTransaction[],
  { now, eventSequence }: { readonly now: Date; readonly eventSequence: number },
): NewEvent[] {
  const { status: savedStatus, attempts, flags } = state.summary;
  const order = { ...stored, savedStatus, attempts, flags };
  const { accountId, orderId } = before.order;
  const [accessSecret = ''] = liveSecrets(account, 'access-secret', now);
  const signing = { account, accessSecret, signs: 'what v3 covers' } as const;
  const ids = new Set(events.map(({ transactionId }) => transactionId));
  const requested = transactions.filter(({ transactionId }) => ids.has(transactionId));
  const enquiry = enquiryOf(order, transactions, requested, signing);
  const renderEvent = renderChange({ account, enquiry, occurredAt: now });
  return events.map(({ endpointIds, ...event }, index) => {
    const key = { accountId, orderId, sequence: eventSequence + index + 1 };
    const { type, transactionId } = event;
    const rendered = renderEvent({ ...event, key });
    return { ...key, type, transactionId, occurredAt: now, endpointIds, ...rendered };
  });
}
