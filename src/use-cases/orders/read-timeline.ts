/** Reads one page of the timeline of an order: a bounded number of rows of each table, on the snapshot of the caller. */
import type { Order } from '../../domain/orders/order.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import { type AmountStyle, type ShowOptions, shownValue } from '../../domain/why/effects.ts';
import {
  cutTimeline,
  findPageBegin,
  type Timeline,
  timelineRowsMax,
} from '../../domain/why/explanation.ts';
import { buildTimeline, type LifeDelivery } from '../../domain/why/timeline.ts';
import type { Queryable } from '../../postgres/database.ts';
import { getProvider } from '../../providers/providers.ts';
import { listResolutions } from '../../store/inbox/review-resolutions.ts';
import { findCheckout } from '../../store/orders/checkouts.ts';
import {
  listAttemptsUpTo,
  listDeliveriesUpTo,
  listEventsUpTo,
  readHistoryPage,
} from '../../store/orders/order-life.ts';
import { type DescribedDelivery, describeContents } from '../inbox/describe-contents.ts';

/** The clock of another process may be ahead of ours, so the newest page has no end. */
const latest = new Date('9999-12-31T00:00:00Z');

type StoredLife = Awaited<ReturnType<typeof readLife>>;

/** The rows of one page. */
export async function readLife(
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
    deliveries: await listDeliveriesUpTo(tx, order, page),
    events: await listEventsUpTo(tx, order, page),
    attempts: await listAttemptsUpTo(tx, order, page),
    checkout: await findCheckout(tx, order),
    resolutions: await listResolutions(tx, order.accountId, subjects),
  };
}

/** The bodies of the deliveries are read here, a few at a time: they never change, and may be large. */
export async function buildTimelinePage(
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
    ...{ order, checkout, resolutions },
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
    ...{ deliveryId, provider, providerName: getProvider(provider).displayName },
    ...{ state, why, flags, tries, receivedAt, finishedAt, event, currency },
    amount: shownValue('amount', delivery.amount, currency, amounts) as LifeDelivery['amount'],
  };
}
