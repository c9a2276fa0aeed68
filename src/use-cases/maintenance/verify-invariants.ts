/** Checks the invariants on the live database. Contract 9. */
import { isDeepStrictEqual } from 'node:util';
import { replayChanges } from '../../domain/history.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { listDeliveriesOfOrder } from '../../store/deliveries.ts';
import { listHistory } from '../../store/history.ts';
import {
  type Breach,
  findForeignReferences,
  findLostDeliveries,
  findSharedInvoices,
} from '../../store/invariants.ts';
import { listOrdersAfter } from '../../store/orders.ts';
import { hasPrunedHistory } from '../../store/prune-history.ts';
import { fieldsOf } from '../order-state/describe-change.ts';
import {
  type LockedOrderState,
  loadOrderStates,
  lockOrderState,
} from '../order-state/lock-order-state.ts';
import {
  checkCaptured,
  checkCaptures,
  checkFold,
  checkRefunds,
  checkStatus,
  checkTally,
} from './check-order-state.ts';

type Needs = {
  readonly database: Database;
  readonly clock: Clock;
};

export type Verified = {
  readonly orders: number;
  readonly transactions: number;
  readonly checked: readonly string[];
  readonly breaches: readonly (Breach & { readonly invariant: string })[];
  /** Orders that were not fully checked, because bodies or history rows were pruned by age. */
  readonly pruned: { readonly inboxes: number; readonly histories: number };
};

const pageSize = 200;

export async function verifyInvariants({ database, clock }: Needs): Promise<Verified> {
  const breaches: Array<Breach & { invariant: string }> = [];
  const note = (invariant: string, found: readonly Breach[]) => {
    breaches.push(...found.map((breach) => ({ ...breach, invariant })));
  };
  note(names.deliveries, await findLostDeliveries(database));
  note(names.invoices, await findSharedInvoices(database));
  note(names.accounts, await findForeignReferences(database));

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

/** A delivery may be applied between two reads, so an apparent breach is checked again under the order's lock. */
async function checkOrder(database: Database, order: Order, now: Date): Promise<Checked> {
  const { accountId, orderId } = order;
  const [orderState = { order, transactions: [], held: [] }] = await loadOrderStates(database, [
    order,
  ]);
  const checked = await checkOrderState(database, orderState, now);
  if (checked.breaches.length === 0) return checked;
  return database.transaction(async (tx) =>
    checkOrderState(tx, await lockOrderState(tx, accountId, orderId), now),
  );
}

async function checkOrderState(
  database: Queryable,
  orderState: LockedOrderState,
  now: Date,
): Promise<Checked> {
  const { accountId, orderId } = orderState.order;
  const history = await checkHistory(database, orderState);
  const isHistoryPruned =
    history.length > 0 && (await hasPrunedHistory(database, accountId, orderId));
  const deliveries = await listDeliveriesOfOrder(database, accountId, orderId);
  const isInboxPruned = deliveries.some(({ body }) => body === null);
  const found: ReadonlyArray<readonly [string, readonly Breach[]]> = [
    [names.status, checkStatus(orderState, now)],
    [names.status, checkTally(orderState)],
    [names.refunds, checkRefunds(orderState, now)],
    [names.history, isHistoryPruned ? [] : history],
    [names.captures, checkCaptures(orderState)],
    [names.captured, checkCaptured(orderState)],
    [names.fold, isInboxPruned ? [] : checkFold(deliveries, orderState, now)],
  ];
  return {
    transactions: orderState.transactions.length,
    isInboxPruned,
    isHistoryPruned,
    breaches: found.flatMap(([invariant, own]) => own.map((breach) => ({ ...breach, invariant }))),
  };
}

const names = {
  deliveries: 'every delivery is stored once, and is finished or has a time for its next try',
  invoices: 'an invoice has one order',
  status: 'the status of an order follows from its transactions',
  refunds: 'refunds do not exceed what was paid, or the order is flagged',
  captures: 'captured money of a gateway order is the sum of its captures',
  captured: 'no payment succeeded without a capture',
  history: 'the history of a transaction ends in its state',
  fold: 'folding the inbox from scratch gives the stored transactions',
  accounts: 'no row refers to another account',
};

async function checkHistory(
  database: Queryable,
  { order, transactions }: LockedOrderState,
): Promise<Breach[]> {
  if (transactions.length === 0) return [];
  const history = await listHistory(database, order.accountId, order.orderId);
  return transactions.flatMap((transaction) => {
    const own = history.filter(({ transactionId }) => transactionId === transaction.transactionId);
    const replayed = replayChanges(own.flatMap(({ changes }) => changes));
    const state = JSON.parse(JSON.stringify(fieldsOf(transaction))) as Record<string, unknown>;
    const differing = Object.keys(state).filter(
      (field) => !isDeepStrictEqual(replayed[field] ?? null, state[field]),
    );
    if (differing.length === 0) return [];
    return [{ where: transaction.transactionId, what: `differs in ${differing.join(', ')}` }];
  });
}
