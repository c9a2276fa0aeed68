/**
 * Explains one order: its life on a timeline, and for each field of its transactions what set it, what was there before,
 * and what lost by which rule. Reads the history, the inbox and the outbox, and changes nothing. docs/decisions/0044.
 */

import type { RepeatKey } from '../../domain/inbox/repeats.ts';
import { ordersCreatedHere } from '../../domain/order-state/relate.ts';
import { settleTransactions } from '../../domain/order-state/settle.ts';
import { type Order, orderStatus } from '../../domain/orders/order.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import { type AmountStyle, shownAmounts } from '../../domain/why/effects.ts';
import { explainTransaction } from '../../domain/why/explain-transaction.ts';
import {
  type ExplainedTransaction,
  type OrderExplanation,
  showField,
  transactionsPerPage,
} from '../../domain/why/explanation.ts';
import type { Queryable } from '../../postgres/database.ts';
import { databaseLimits } from '../../postgres/limits.ts';
import { getProvider } from '../../providers/providers.ts';
import { createPauses, mapWithPauses } from '../../services/event-loop.ts';
import type { Services } from '../../services/services.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import { findOrdersWithTransactions } from '../../store/orders/enquiry.ts';
import {
  type DeliveryOfKey,
  listDeliveriesByKey,
  listLastChanges,
} from '../../store/orders/order-life.ts';
import { listTransactionsById } from '../../store/payments/transactions.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import { buildTimelinePage, readLife } from './read-timeline.ts';

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
  const names = page.transactions.flatMap(({ provider, notices }) =>
    notices.map(({ deliveryKey }) => ({ provider, deliveryKey })),
  );
  const ids = page.transactions.map(({ transactionId }) => transactionId);
  return {
    ...{ order, settled, page, held },
    deliveries: await listDeliveriesByKey(tx, accountId, [...names, ...held]),
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
  { order, settled, changes }: Stored,
  deliveryOf: FindDelivery,
  { masked, amounts }: ExplainOptions,
): ExplainedTransaction {
  const { transactionId, type, provider, status, currency } = transaction;
  const fields = explainTransaction(transaction, {
    expected: order.amounts,
    ordersCreatedHere: ordersCreatedHere(settled),
    changes: changes.filter((change) => change.transactionId === transactionId),
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
