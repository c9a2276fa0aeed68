/**
 * Explains one order: its life on a timeline, and for each field of its transactions what set it, what was there before,
 * and what lost by which rule. Reads the history, the inbox and the outbox, and changes nothing. docs/decisions/0044.
 */
import { type Order, orderStatus } from '../../domain/orders/order.ts';
import type { Clock } from '../../domain/time.ts';
import { ordersCreatedHere } from '../../domain/transactions/relate.ts';
import { settleTransactions } from '../../domain/transactions/settle.ts';
import type { Transaction } from '../../domain/transactions/transaction.ts';
import { explainTransaction } from '../../domain/why/explain-transaction.ts';
import {
  type ExplainedTransaction,
  type OrderExplanation,
  showField,
  transactionsPerPage,
} from '../../domain/why/explanation.ts';
import { shownAmounts } from '../../domain/why/shown.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { getProvider } from '../../providers/providers.ts';
import { mapWithPauses } from '../../services/event-loop.ts';
import { findOrdersWithTransactions } from '../../store/enquiry.ts';
import {
  type DeliveryOfKey,
  listDeliveriesByKey,
  listLastChanges,
} from '../../store/order-life.ts';
import type { OrderName } from '../../store/order-rows.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import { listTransactionsById } from '../../store/transactions.ts';
import { readTimeline } from './read-timeline.ts';

type Needs = { readonly database: Database; readonly clock: Clock };

export type ExplainOptions = {
  /** Personal data is masked as for an order token. */
  readonly masked: boolean;
  /** The page of the timeline up to this time; the newest page without it. */
  readonly upTo?: Date | undefined;
  /** The page of transactions behind this one. */
  readonly afterTransaction?: string | undefined;
};

/** Undefined if the account has no such order. */
export function explainOrder(
  { database, clock }: Needs,
  { accountId, orderId }: OrderName,
  options: ExplainOptions,
): Promise<OrderExplanation | undefined> {
  return readSnapshot(database, async (tx) => {
    const question = { accountId, idName: 'order_id', id: orderId } as const;
    const [found] = await findOrdersWithTransactions(tx, [question]);
    if (!found) return undefined;
    const { order } = found;
    const now = clock();
    const settled = settleTransactions(found, now).toSorted(byId);
    const page = pageOf(settled, options.afterTransaction);
    const held = (order.heldNotices ?? []).map((entry) => ({
      hold: entry.hold,
      provider: entry.provider,
      deliveryKey: ('payment' in entry ? entry.payment : entry.refund).deliveryKey,
    }));
    const deliveryOf = await findDeliveries(tx, accountId, held);
    return {
      order: { ...orderOf(order), status: orderStatus(order, now) },
      explainedAt: now,
      timeline: await readTimeline(tx, order, settled, options),
      transactions: await explainPage(tx, order, page.shown, {
        ...options,
        ordersCreatedHere: ordersCreatedHere(settled),
      }),
      transactionsTotal: settled.length,
      nextTransactionsAfter: page.next,
      held: held.map((entry) => ({
        deliveryId: deliveryOf(entry)?.deliveryId ?? null,
        hold: entry.hold,
      })),
    };
  });
}

function byId(a: Transaction, b: Transaction): number {
  return a.transactionId < b.transactionId ? -1 : 1;
}

function orderOf({ accountId, orderId, invoiceId, attempts, ...order }: Order) {
  const { flags, createdAt, lapsesAt } = order;
  const amounts = shownAmounts(order.amounts);
  return { accountId, orderId, invoiceId, amounts, attempts, flags, createdAt, lapsesAt };
}

function pageOf(transactions: readonly Transaction[], after: string | undefined) {
  const rest = transactions.filter(
    ({ transactionId }) => after === undefined || transactionId > after,
  );
  const shown = rest.slice(0, transactionsPerPage);
  const next = rest.length > shown.length ? (shown.at(-1)?.transactionId ?? null) : null;
  return { shown, next };
}

type PageOptions = ExplainOptions & { readonly ordersCreatedHere: ReadonlySet<string> };

/** The transactions are settled and without notices, which are read for this page only. */
async function explainPage(
  tx: Queryable,
  order: Order,
  shown: readonly Transaction[],
  { masked, ordersCreatedHere: created }: PageOptions,
): Promise<ExplainedTransaction[]> {
  const ids = shown.map(({ transactionId }) => transactionId);
  const listed = await listTransactionsById(tx, order, ids);
  const byTransaction = new Map(
    listed.map(({ transaction }) => [transaction.transactionId, transaction]),
  );
  const changes = Map.groupBy(
    await listLastChanges(tx, order, ids),
    ({ transactionId }) => transactionId,
  );
  const names = listed.flatMap(({ transaction: { provider, notices } }) =>
    notices.map(({ deliveryKey }) => ({ provider, deliveryKey })),
  );
  const deliveryOf = await findDeliveries(tx, order.accountId, names);
  return mapWithPauses(shown, (transaction) => {
    const { transactionId, type, provider, status, currency } = transaction;
    const notices = byTransaction.get(transactionId)?.notices ?? [];
    const fields = explainTransaction({ ...transaction, notices } as Transaction, {
      expected: order.amounts,
      ordersCreatedHere: created,
      changes: changes.get(transactionId) ?? [],
      deliveryIdOf: (deliveryKey) => deliveryOf({ provider, deliveryKey })?.deliveryId ?? null,
      isStale: (deliveryKey) => deliveryOf({ provider, deliveryKey })?.state === 'stale',
    });
    const shownFields = fields.map((field) => showField(field, currency, masked));
    const providerName = getProvider(provider).displayName;
    return { transactionId, type, provider, providerName, status, currency, fields: shownFields };
  });
}

type DeliveryName = Parameters<typeof listDeliveriesByKey>[2][number];

/** Returns undefined for a key that the inbox does not have. */
async function findDeliveries(
  tx: Queryable,
  accountId: string,
  names: readonly DeliveryName[],
): Promise<(name: DeliveryName) => DeliveryOfKey | undefined> {
  const keyOf = ({ provider, deliveryKey }: DeliveryName) => `${provider} ${deliveryKey}`;
  const found = await listDeliveriesByKey(tx, accountId, names);
  const byKey = new Map(found.map((delivery) => [keyOf(delivery), delivery]));
  return (name) => byKey.get(keyOf(name));
}
