/**
 * Explains one order: its life on a timeline, and for each field of its transactions what set it, what was there before,
 * and what lost by which rule. Reads the history, the inbox and the outbox, and changes nothing. docs/decisions/0044.
 */
import type { RepeatKey } from '../../domain/inbox/repeats.ts';
import { disputeNoticesByPayment } from '../../domain/order-state/disputes.ts';
import { ordersCreatedHere } from '../../domain/order-state/relate.ts';
import { settleTransactions } from '../../domain/order-state/settle.ts';
import { type Order, orderStatus } from '../../domain/orders/order.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import {
  type AmountStyle,
  type ShowOptions,
  shownAmounts,
  shownValue,
} from '../../domain/why/effects.ts';
import { explainTransaction } from '../../domain/why/explain-transaction.ts';
import {
  cutTimeline,
  type ExplainedTransaction,
  findPageBegin,
  type OrderExplanation,
  showField,
  type Timeline,
  timelineRowsMax,
  transactionsPerPage,
} from '../../domain/why/explanation.ts';
import { buildTimeline, type LifeDelivery } from '../../domain/why/timeline.ts';
import type { Queryable } from '../../postgres/database.ts';
import { databaseLimits } from '../../postgres/limits.ts';
import { getProvider } from '../../providers/providers.ts';
import { createPauses, mapWithPauses } from '../../services/event-loop.ts';
import type { Services } from '../../services/services.ts';
import { listNewestOfOrder } from '../../store/inbox/delivery-lists.ts';
import { listResolutions } from '../../store/inbox/review-resolutions.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import { findCheckout } from '../../store/orders/checkouts.ts';
import { findOrdersWithTransactions } from '../../store/orders/enquiry.ts';
import {
  type DeliveryOfKey,
  listAttemptsUpTo,
  listDeliveriesByKey,
  listEventsUpTo,
  listLastChanges,
  readHistoryPage,
} from '../../store/orders/order-life.ts';
import { listTransactionsById } from '../../store/payments/transactions.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import { type DescribedDelivery, describeContents } from '../inbox/describe-contents.ts';

export type ExplainOptions = {
  /** Personal data is masked as for an order token. */
  readonly masked: boolean;
  readonly amounts?: AmountStyle;
  /** The page of the timeline up to this time; the newest page without it. */
  readonly upTo?: Date | undefined;
  /** The page of transactions behind this one. */
  readonly afterTransaction?: string | undefined;
};

/** Undefined if the account has no such order. The connection is free again before anything is computed. */
export async function explainOrder(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  key: OrderKey,
  options: ExplainOptions,
): Promise<OrderExplanation | undefined> {
  const now = clock();
  const stored = await readSnapshot(
    database,
    (tx) => readStored(tx, key, options, now),
    databaseLimits.statementMsMax,
  );
  if (!stored) return undefined;
  const { order, settled, page, held } = stored;
  const deliveryOf = findIn(stored.deliveries);
  return {
    order: { ...orderOf(order), status: orderStatus(order, now) },
    explainedAt: now,
    timeline: await buildTimelinePage(database, order, settled, stored.life, options),
    transactions: await mapWithPauses(
      page.transactions,
      (entry) => explainOne(entry, stored, deliveryOf, options),
      createPauses(pauseMs, restMs),
    ),
    transactionsTotal: settled.length,
    nextTransactionsAfter: page.next,
    held: held.map((entry) => ({
      deliveryId: deliveryOf(entry)?.deliveryId ?? null,
      hold: entry.hold,
    })),
  };
}

type Stored = Awaited<ReturnType<typeof readStored>> & object;

async function readStored(
  tx: Queryable,
  { accountId, orderId }: OrderKey,
  options: ExplainOptions,
  now: Date,
) {
  const question = { accountId, idName: 'order_id', id: orderId } as const;
  const [found] = await findOrdersWithTransactions(tx, [question]);
  if (!found) return undefined;
  const { order } = found;
  const settled = settleTransactions(found, now).toSorted(byId);
  const page = await readPage(tx, order, settled, options.afterTransaction);
  const held = (order.heldNotices ?? []).map((entry) => ({
    hold: entry.hold,
    provider: entry.provider,
    deliveryKey: ('payment' in entry ? entry.payment : entry.refund).deliveryKey,
  }));
  const { disputeNotices = [] } = order;
  const names = page.transactions.flatMap(({ provider, notices }) =>
    notices.map(({ deliveryKey }) => ({ provider, deliveryKey })),
  );
  const ids = page.transactions.map(({ transactionId }) => transactionId);
  return {
    order,
    settled,
    page,
    held,
    disputes: disputeNoticesByPayment({ transactions: settled, disputeNotices }),
    deliveries: await listDeliveriesByKey(tx, accountId, [...names, ...held, ...disputeNotices]),
    changes: await listLastChanges(tx, order, ids),
    life: await readLife(tx, order, settled, options.upTo),
  };
}

function byId(a: Transaction, b: Transaction): number {
  return a.transactionId < b.transactionId ? -1 : 1;
}

function orderOf({ accountId, orderId, invoiceId, attempts, ...order }: Order) {
  const { flags, createdAt, lapsesAt } = order;
  const amounts = shownAmounts(order.amounts);
  return { accountId, orderId, invoiceId, amounts, attempts, flags, createdAt, lapsesAt };
}

/** Settled transactions have no notices. Those of this page are read a few at a time, until they are many. */
async function readPage(
  tx: Queryable,
  order: Order,
  settled: readonly Transaction[],
  after: string | undefined,
) {
  const rest = settled.filter(({ transactionId }) => after === undefined || transactionId > after);
  const transactions: Transaction[] = [];
  let notices = 0;
  while (transactions.length < Math.min(rest.length, transactionsPerPage)) {
    const some = rest.slice(transactions.length, transactions.length + transactionsPerRead);
    const ids = some.map(({ transactionId }) => transactionId);
    const listed = await listTransactionsById(tx, order, ids);
    const noticesOf = new Map(
      listed.map(({ transaction }) => [transaction.transactionId, transaction.notices]),
    );
    for (const entry of some) {
      const own = noticesOf.get(entry.transactionId) ?? [];
      notices += own.length;
      transactions.push({ ...entry, notices: own } as Transaction);
    }
    if (notices >= noticesPerPage) break;
  }
  const last = transactions.at(-1);
  return {
    transactions,
    next: rest.length > transactions.length && last ? last.transactionId : null,
  };
}

/** Others wait for each of these steps, so they are short and far apart. */
const pauseMs = 1;
const restMs = 5;
const transactionsPerRead = 4;
const noticesPerPage = 50;

function explainOne(
  transaction: Transaction,
  { order, settled, changes, disputes }: Stored,
  deliveryOf: FindDelivery,
  { masked, amounts }: ExplainOptions,
): ExplainedTransaction {
  const { transactionId, type, provider, status, currency } = transaction;
  const fields = explainTransaction(transaction, {
    expected: order.amounts,
    ordersCreatedHere: ordersCreatedHere(settled),
    changes: changes.filter((change) => change.transactionId === transactionId),
    disputeNotices: disputes.get(transactionId),
    deliveryIdOf: (deliveryKey) => deliveryOf({ provider, deliveryKey })?.deliveryId ?? null,
    isStale: (deliveryKey) => deliveryOf({ provider, deliveryKey })?.state === 'stale',
  });
  const shownFields = fields.map((field) => showField(field, currency, masked, amounts));
  const providerName = getProvider(provider).displayName;
  return { transactionId, type, provider, providerName, status, currency, fields: shownFields };
}

type ProviderKey = Pick<RepeatKey, 'provider' | 'deliveryKey'>;
type FindDelivery = (key: ProviderKey) => DeliveryOfKey | undefined;

/** Returns undefined for a key that the inbox does not have. */
function findIn(deliveries: readonly DeliveryOfKey[]): FindDelivery {
  const keyOf = ({ provider, deliveryKey }: ProviderKey) => `${provider} ${deliveryKey}`;
  const byKey = new Map(deliveries.map((delivery) => [keyOf(delivery), delivery]));
  return (key) => byKey.get(keyOf(key));
}

/** The clock of another process may be ahead of ours, so the newest page has no end. */
const latest = new Date('9999-12-31T00:00:00Z');

type StoredLife = Awaited<ReturnType<typeof readLife>>;

/** The rows of one page of the timeline, on the snapshot of the caller. */
async function readLife(
  tx: Queryable,
  order: Order,
  transactions: readonly Transaction[],
  upTo = latest,
) {
  const page = { upTo, limit: timelineRowsMax };
  const subjects = [order.orderId, ...transactions.map(({ transactionId }) => transactionId)];
  return {
    upTo,
    history: await readHistoryPage(tx, order, page),
    deliveries: await listNewestOfOrder(tx, order, page),
    events: await listEventsUpTo(tx, order, page),
    attempts: await listAttemptsUpTo(tx, order, page),
    checkout: await findCheckout(tx, order),
    resolutions: await listResolutions(tx, order.accountId, subjects),
  };
}

/** The bodies of the deliveries are read here, a few at a time: they never change, and may be large. */
async function buildTimelinePage(
  database: Queryable,
  order: Order,
  transactions: readonly Transaction[],
  { upTo, history, deliveries, events, attempts, checkout, resolutions }: StoredLife,
  { masked, amounts }: Pick<ShowOptions, 'masked' | 'amounts'>,
): Promise<Timeline> {
  const currencies = new Map(
    transactions.map(({ transactionId, currency }) => [transactionId, currency]),
  );
  const currencyOf = (transactionId: string | null) =>
    currencies.get(transactionId ?? '') ?? order.amounts.currency;
  const begin = findPageBegin([
    history.rows.map(({ at }) => at),
    deliveries.map(({ receivedAt }) => receivedAt),
    events.map(({ occurredAt }) => occurredAt),
    attempts.map(({ attemptedAt }) => attemptedAt),
  ]);
  const isOnPage = (at: Date) => begin === null || at >= begin;
  const received = deliveries.filter(({ receivedAt }) => isOnPage(receivedAt)).reverse();
  const life = {
    order,
    checkout,
    resolutions,
    history: history.rows
      .filter(({ at }) => isOnPage(at))
      .reverse()
      .flatMap(({ entries }) => entries),
    deliveries: (await describeContents(database, received)).map((delivery) =>
      toLife(delivery, amounts),
    ),
    events: events.filter(({ occurredAt }) => isOnPage(occurredAt)).reverse(),
    attempts: attempts.filter(({ attemptedAt }) => isOnPage(attemptedAt)).reverse(),
  };
  const entries = buildTimeline(life, { masked, amounts, currencyOf }).filter(
    ({ at }) => at <= upTo,
  );
  const cut = cutTimeline(entries, begin);
  const isFirstPage = cut.olderUpTo === null;
  return { ...cut, isPruned: isFirstPage && (history.firstPosition ?? 1) > 1 };
}

/** Without keys and settings, which explain nothing to a reader. */
function toLife(delivery: DescribedDelivery, amounts: AmountStyle | undefined): LifeDelivery {
  const { deliveryId, provider, state, why, flags, tries, receivedAt, finishedAt } = delivery;
  const { event, currency } = delivery;
  return {
    deliveryId,
    provider,
    providerName: getProvider(provider).displayName,
    state,
    why,
    flags,
    tries,
    receivedAt,
    finishedAt,
    event,
    currency,
    amount: shownValue('amount', delivery.amount, currency, amounts) as LifeDelivery['amount'],
  };
}
