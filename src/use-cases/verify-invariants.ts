/** Checks on the live database what must always hold. Decision 9. */
import { isDeepStrictEqual } from 'node:util';
import { replayChanges } from '../domain/history.ts';
import type { Started } from '../domain/matching.ts';
import type { Order } from '../domain/order.ts';
import {
  applyNotice,
  type DeliveredNotice,
  decideOrderState,
  keepStart,
  lacksTarget,
  type OrderBook,
} from '../domain/order-book.ts';
import type { Transaction } from '../domain/transaction.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type Delivery, listDeliveriesOfOrder } from '../store/deliveries.ts';
import { listHistory } from '../store/history.ts';
import {
  type Breach,
  findLostDeliveries,
  findSharedInvoices,
  findStrangers,
} from '../store/invariants.ts';
import { listOrdersAfter } from '../store/orders.ts';
import { hasPrunedHistory } from '../store/prune.ts';
import { type LockedBook, loadBooks, lockBook } from './books.ts';
import { orderStateOf, stateOf } from './save-books.ts';
import type { Services } from './services.ts';
import { translateDelivery } from './translate-delivery.ts';

export type Verified = {
  readonly orders: number;
  readonly transactions: number;
  readonly checked: readonly string[];
  readonly breaches: readonly (Breach & { readonly invariant: string })[];
  /** Orders of which a part was pruned by age, so that there is nothing to compare with. */
  readonly pruned: { readonly inboxes: number; readonly histories: number };
};

const pageSize = 200;

export async function verifyInvariants({ database, clock }: Services): Promise<Verified> {
  const breaches: Array<Breach & { invariant: string }> = [];
  const note = (invariant: string, found: readonly Breach[]) => {
    breaches.push(...found.map((breach) => ({ ...breach, invariant })));
  };
  note(names.deliveries, await findLostDeliveries(database));
  note(names.invoices, await findSharedInvoices(database));
  note(names.accounts, await findStrangers(database));

  let orders = 0;
  let transactions = 0;
  const pruned = { inboxes: 0, histories: 0 };
  for (
    let page: Order[] = [], isFirst = true;
    isFirst || page.length === pageSize;
    isFirst = false
  ) {
    page = await listOrdersAfter(database, page.at(-1), pageSize);
    for (const order of page) {
      const checked = await checkOrder(database, order, clock());
      orders += 1;
      transactions += checked.transactions;
      pruned.inboxes += Number(checked.isInboxPruned);
      pruned.histories += Number(checked.isHistoryPruned);
      breaches.push(...checked.breaches);
    }
  }
  return { orders, transactions, checked: Object.values(names), breaches, pruned };
}

type Checked = {
  readonly transactions: number;
  readonly isInboxPruned: boolean;
  readonly isHistoryPruned: boolean;
  readonly breaches: readonly (Breach & { readonly invariant: string })[];
};

/** A delivery may come in between two reads, so what looks broken is looked at again under lock. */
async function checkOrder(database: Database, order: Order, now: Date): Promise<Checked> {
  const { accountId, orderId } = order;
  const [book = { order, transactions: [] }] = await loadBooks(database, [order]);
  const checked = await checkBook(database, book, now);
  if (checked.breaches.length === 0) return checked;
  return database.transaction(async (tx) =>
    checkBook(tx, await lockBook(tx, accountId, orderId), now),
  );
}

async function checkBook(database: Queryable, book: LockedBook, now: Date): Promise<Checked> {
  const { accountId, orderId } = book.order;
  const history = await checkHistory(database, book);
  const isHistoryPruned =
    history.length > 0 && (await hasPrunedHistory(database, accountId, orderId));
  const deliveries = await listDeliveriesOfOrder(database, accountId, orderId);
  const isInboxPruned = deliveries.some(({ body }) => body === null);
  const found: ReadonlyArray<readonly [string, readonly Breach[]]> = [
    [names.status, checkStatus(book, now)],
    [names.refunds, checkRefunds(book, now)],
    [names.history, isHistoryPruned ? [] : history],
    [names.fold, isInboxPruned ? [] : checkFold(deliveries, book)],
  ];
  return {
    transactions: book.transactions.length,
    isInboxPruned,
    isHistoryPruned,
    breaches: found.flatMap(([invariant, own]) => own.map((breach) => ({ ...breach, invariant }))),
  };
}

const names = {
  deliveries: 'every delivery is kept once and finished, or waits with a time to be tried',
  invoices: 'an invoice has one order',
  status: 'the status of an order follows from its transactions',
  refunds: 'refunds do not exceed what was paid, or the order is flagged',
  history: 'the history of a transaction ends in its state',
  fold: 'the inbox folded from nothing gives the transactions',
  accounts: 'no row refers to another account',
};

/** Time passes without being written down at once: the status before or after lapsing is right. */
function checkStatus(book: LockedBook, now: Date): Breach[] {
  const saved = orderStateOf(book.order);
  const rightStates = [decideOrderState(book, book.order.createdAt), decideOrderState(book, now)];
  if (rightStates.some((state) => isDeepStrictEqual(state, saved))) return [];
  return [{ where: book.order.orderId, what: `is saved as ${JSON.stringify(saved)}` }];
}

function checkRefunds(book: LockedBook, now: Date): Breach[] {
  const isFlagged = book.order.flags.includes('over_refunded');
  const isOver = decideOrderState(book, now).flags.includes('over_refunded');
  return isOver && !isFlagged
    ? [{ where: book.order.orderId, what: 'is refunded more than was paid and not flagged' }]
    : [];
}

async function checkHistory(
  database: Queryable,
  { order, transactions }: LockedBook,
): Promise<Breach[]> {
  if (transactions.length === 0) return [];
  const history = await listHistory(database, order.accountId, order.orderId);
  return transactions.flatMap((transaction) => {
    const own = history.filter(({ transactionId }) => transactionId === transaction.transactionId);
    const replayed = replayChanges(own.flatMap(({ changes }) => changes));
    const state = JSON.parse(JSON.stringify(stateOf(transaction))) as Record<string, unknown>;
    const differing = Object.keys(state).filter(
      (member) => !isDeepStrictEqual(replayed[member] ?? null, state[member]),
    );
    if (differing.length === 0) return [];
    return [{ where: transaction.transactionId, what: `differs in ${differing.join(', ')}` }];
  });
}

/** Ids are given at first sight, so transactions are compared by what the provider calls them. */
function checkFold(deliveries: readonly Delivery[], { order, transactions }: LockedBook): Breach[] {
  const notices = inOrderApplied(deliveries, transactions).flatMap((delivery) => {
    const { provider, deliveryKey, receivedAt } = delivery;
    const translation = translateDelivery(delivery);
    if (translation.kind !== 'notice') return [];
    return [{ ...translation.notice, provider, deliveryKey, receivedAt }];
  });
  const started = transactions.flatMap((entry) => (entry.start ? [withoutNotices(entry)] : []));
  const begun = started.reduce<OrderBook>((book, entry) => keepStart(book, entry), {
    order,
    transactions: [],
  });
  const folded = foldAll(begun, notices);
  return isDeepStrictEqual(comparable(folded.transactions), comparable(transactions))
    ? []
    : [{ where: order.orderId, what: 'its deliveries fold to other transactions' }];
}

/**
 * Times do not tell who was applied first: two may have the same, and who waited for the other's lock may have
 * the earlier. A transaction keeps its notices as they were applied, so each comes after those before it there.
 */
function inOrderApplied(
  deliveries: readonly Delivery[],
  transactions: readonly Transaction[],
): Delivery[] {
  const keyOf = (provider: string, deliveryKey: string) => `${provider}/${deliveryKey}`;
  const precedents = transactions.flatMap(({ provider, notices }) =>
    notices.slice(1).map((notice, index) => ({
      key: keyOf(provider, notice.deliveryKey),
      before: keyOf(provider, notices[index]?.deliveryKey ?? ''),
    })),
  );
  const before = Map.groupBy(precedents, ({ key }) => key);
  const waiting = new Map(
    deliveries.map((entry) => [keyOf(entry.provider, entry.deliveryKey), entry]),
  );
  const applied: Delivery[] = [];
  while (waiting.size > 0) {
    const keys = [...waiting.keys()];
    const isNext = (key: string) => !before.get(key)?.some((entry) => waiting.has(entry.before));
    const next = keys.find(isNext) ?? keys[0] ?? '';
    applied.push(...[waiting.get(next)].filter((entry) => entry !== undefined));
    waiting.delete(next);
  }
  return applied;
}

/** What waits for another notice is applied after it, as it was when they came. */
function foldAll(book: OrderBook, notices: readonly DeliveredNotice[]): OrderBook {
  const waiting = notices.filter((notice) => lacksTarget(book, notice));
  const ready = notices.filter((notice) => !waiting.includes(notice));
  if (ready.length === 0) return book;
  return foldAll(ready.reduce(applyNotice, book), waiting);
}

function withoutNotices({ notices: _folded, ...entry }: Transaction): Started {
  return entry as Started;
}

/** Ids of what was started here are given once and for all. */
function comparable(transactions: readonly Transaction[]): unknown {
  const plain = transactions.map(({ transactionId, notices: _folded, ...state }) => ({
    ...state,
    startedAs: state.start ? transactionId : null,
  }));
  const key = ({ type, pspTransactionId, startedAs }: (typeof plain)[number]) =>
    `${type}${startedAs}${pspTransactionId}`;
  return plain.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
