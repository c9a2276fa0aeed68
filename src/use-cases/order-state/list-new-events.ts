/** The events of changed orders with their numbers and their final bytes. Contract 12.3 and 12.4. */
import { type Account, accessSecretOf } from '../../domain/accounts/account.ts';
import { isEnabled, wants } from '../../domain/accounts/endpoint.ts';
import { listEvents, listSilentIds } from '../../domain/events/list-events.ts';
import { type SettledOrderState, settle } from '../../domain/order-state/settle.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Transaction as OrderTransaction } from '../../domain/payments/transaction.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Announcer } from '../../services/announcer.ts';
import { enquiryOf } from '../../services/enquiry.ts';
import { findAnnouncedIds, type NewEvent } from '../../store/events/events.ts';
import type { StoredOrder, WholeOrder } from '../../store/order-rows.ts';
import { listOrdersByKey } from '../../store/orders/orders.ts';
import { listTransactionsOf } from '../../store/payments/transactions.ts';
import type { ChangedOrderState } from './describe-change.ts';
import { orderKeyOf, withSummary } from './lock-order-state.ts';

/** Must run before the changes are written: it reads what they do not touch. */
export async function listNewEvents(
  tx: Transaction,
  announcer: Announcer,
  changed: readonly ChangedOrderState[],
  now: Date,
): Promise<NewEvent[]> {
  const accounts = new Map<string, Account>();
  for (const accountId of new Set(changed.map(({ before }) => before.order.accountId))) {
    const account = await announcer.findAnnouncing(tx, accountId);
    if (account) accounts.set(accountId, account);
  }
  const announced: AnnouncedOrder[] = [];
  for (const order of changed) {
    const account = accounts.get(order.before.order.accountId);
    if (!account) continue;
    const stages = listStages(account, order, await findFormerIds(tx, order), now);
    if (stages.some(({ events }) => events.length > 0)) announced.push({ order, account, stages });
  }
  if (announced.length === 0) return [];
  const byKey = await findWholeOrders(tx, announced);
  const events: NewEvent[] = [];
  for (const { order, account, stages } of announced) {
    const { before } = order;
    const stored = byKey.get(orderKeyOf(before.order));
    if (!stored) throw new Error(`order ${before.order.orderId} is locked and does not exist`);
    let { eventSequence } = before.order;
    for (const stage of stages) {
      const { unloaded, transactions: loaded } = stage.state;
      const transactions = unloaded ? await listAllTransactions(tx, before, loaded) : loaded;
      const options = { account, now, eventSequence };
      events.push(...renderEvents(announcer, stage, stored, transactions, options));
      eventSequence += stage.events.length;
    }
  }
  const endpoints = events.flatMap(({ accountId, endpointIds }) =>
    endpointIds.map((endpointId) => [endpointId, { accountId, endpointId }] as const),
  );
  tx.onCommit(() => announcer.startDeliveries([...new Map(endpoints).values()]));
  return events;
}

type AnnouncedOrder = {
  readonly order: ChangedOrderState;
  readonly account: Account;
  readonly stages: readonly Stage[];
};

/** A state that enquiries showed, and the events that led to it. */
type Stage = ReturnType<typeof listStages>[number];

/** An event that no enabled endpoint wants is neither stored nor numbered. */
function listStages(
  account: Account,
  changed: ChangedOrderState,
  formerIds: ReadonlySet<string>,
  now: Date,
) {
  const endpoints = account.endpoints.filter(isEnabled);
  const states = [changed.before, ...findUnsavedLapse(changed, now), changed.after];
  return states.slice(1).map((state, index) => {
    const events = listEvents(states[index] ?? state, state, formerIds).map((event) => {
      const wanting = endpoints.filter((endpoint) => wants(endpoint, event.type));
      return { ...event, endpointIds: wanting.map(({ endpointId }) => endpointId) };
    });
    return { state, events: events.filter(({ endpointIds }) => endpointIds.length > 0) };
  });
}

/** An order lapses by itself, and enquiries show it before the sweep saves it. A payment that comes then follows it. */
function findUnsavedLapse({ before, after }: ChangedOrderState, now: Date): SettledOrderState[] {
  const { savedStatus, lapsesAt } = before.order;
  if (now < lapsesAt || savedStatus === 'lapsed' || after.summary.status === 'lapsed') return [];
  const lapsed = settle(before, now);
  return lapsed.summary.status === 'lapsed' ? [lapsed] : [];
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

/** Most are whole already: a batch of webhooks reads them when it locks them. */
async function findWholeOrders(tx: Transaction, announced: readonly AnnouncedOrder[]) {
  const locked = announced.map(({ order }) => order.before.order);
  const parts = locked.filter((order) => !isWhole(order));
  const read = parts.length === 0 ? [] : await listOrdersByKey(tx, parts);
  return new Map([...locked.filter(isWhole), ...read].map((order) => [orderKeyOf(order), order]));
}

function isWhole(order: StoredOrder): order is WholeOrder {
  return 'details' in order;
}

/** Of a large order. Those that were not loaded have not changed. */
async function listAllTransactions(
  tx: Transaction,
  before: ChangedOrderState['before'],
  loaded: readonly OrderTransaction[],
): Promise<readonly OrderTransaction[]> {
  const known = new Set(before.transactions.map(({ transactionId }) => transactionId));
  const stored = await listTransactionsOf(tx, [before.order]);
  const unloaded = stored.filter(({ transaction }) => !known.has(transaction.transactionId));
  return [...unloaded.map(({ transaction }) => transaction), ...loaded];
}

function renderEvents(
  { renderChange }: Announcer,
  { state, events }: Stage,
  stored: Order,
  transactions: readonly OrderTransaction[],
  options: { readonly account: Account; readonly now: Date; readonly eventSequence: number },
): NewEvent[] {
  const { account, now: occurredAt, eventSequence } = options;
  const order = withSummary(stored, state);
  const { accountId, orderId } = stored;
  const accessSecret = accessSecretOf(account, occurredAt);
  const signing = { account, accessSecret, signs: 'what v3 covers' } as const;
  const ids = new Set(events.map(({ transactionId }) => transactionId));
  const requested = transactions.filter(({ transactionId }) => ids.has(transactionId));
  const enquiry = enquiryOf(order, transactions, requested, signing);
  const renderEvent = renderChange({ account, enquiry, occurredAt });
  return events.map(({ endpointIds, ...event }, index) => {
    const key = { accountId, orderId, sequence: eventSequence + index + 1 };
    const { type, transactionId } = event;
    return {
      ...key,
      type,
      transactionId,
      occurredAt,
      endpointIds,
      ...renderEvent({ ...event, key }),
    };
  });
}
