/** The invariants of one order that follow from its stored state and its deliveries. Pure. Contract 9. */
import { isDeepStrictEqual } from 'node:util';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { storedTallyOf } from '../../domain/transactions/large-order.ts';
import { paymentsOf } from '../../domain/transactions/matching.ts';
import { decideOrderSummary } from '../../domain/transactions/order-state.ts';
import type { HeldNotice } from '../../domain/transactions/records.ts';
import { settleTransactions } from '../../domain/transactions/settle.ts';
import type { Payment, Transaction } from '../../domain/transactions/transaction.ts';
import type { Breach } from '../../store/invariants.ts';
import { orderSummaryOf } from '../order-state/describe-change.ts';
import type { LockedOrderState } from '../order-state/lock-order-state.ts';
import { foldInbox } from './fold-inbox.ts';

/** The sweep saves a lapsed status up to a minute late, so the status before or after lapsing is right. */
export function checkStatus(orderState: LockedOrderState, now: Date): Breach[] {
  const saved = orderSummaryOf(orderState.order);
  const rightStates = [
    decideOrderSummary(orderState, orderState.order.createdAt),
    decideOrderSummary(orderState, now),
  ];
  if (rightStates.some((state) => isDeepStrictEqual(state, saved))) return [];
  return [{ where: orderState.order.orderId, what: `is saved as ${JSON.stringify(saved)}` }];
}

/** A tally that is not stored is right: the order is loaded whole. Contract 4.14. */
export function checkTally(orderState: LockedOrderState): Breach[] {
  const { tally, orderId } = orderState.order;
  if (!tally || isDeepStrictEqual(tally, storedTallyOf(orderState))) return [];
  return [{ where: orderId, what: 'its tally differs from its transactions: see "order rebuild"' }];
}

export function checkRefunds(orderState: LockedOrderState, now: Date): Breach[] {
  const isFlagged = orderState.order.flags.includes('over_refunded');
  const isOver = decideOrderSummary(orderState, now).flags.includes('over_refunded');
  return isOver && !isFlagged
    ? [{ where: orderState.order.orderId, what: 'is refunded more than was paid and not flagged' }]
    : [];
}

/**
 * Compares transactions by the provider's ids, because ours depend on when a delivery arrived. The sweep saves lapsing
 * up to a minute late, so a transaction from before that is right too.
 */
export function checkFold(
  deliveries: readonly Delivery[],
  orderState: LockedOrderState,
  now: Date,
): Breach[] {
  const { orderId } = orderState.order;
  const folded = foldInbox(orderState, deliveries);
  const beforeLapse = new Date(Math.min(now.getTime(), orderState.order.lapsesAt.getTime() - 1));
  const right = [
    folded.transactions,
    settleTransactions(folded, beforeLapse),
    settleTransactions(folded, now),
  ].map(comparable);
  const stored = comparable(orderState.transactions);
  const isRight =
    stored.length === folded.transactions.length &&
    stored.every((entry, place) => right.some((state) => isDeepStrictEqual(entry, state[place]))) &&
    isDeepStrictEqual(keysOfHeld(orderState.held), keysOfHeld(folded.held));
  return isRight
    ? []
    : [{ where: orderId, what: 'its deliveries fold to other transactions: see "order rebuild"' }];
}

/** A transaction that was started here keeps its own id, so that id is compared too. Notices are compared by key. */
function comparable(transactions: readonly Transaction[]) {
  const plain = transactions.map(({ transactionId, notices, ...state }) => ({
    ...state,
    startedAs: state.start ? transactionId : null,
    noticeKeys: notices.map(({ deliveryKey }) => deliveryKey).sort(),
  }));
  const key = ({ type, pspTransactionId, startedAs }: (typeof plain)[number]) =>
    `${type}${startedAs}${pspTransactionId}`;
  return plain.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function keysOfHeld(held: readonly HeldNotice[]): string[] {
  return held
    .map((entry) => ('payment' in entry ? entry.payment : entry.refund).deliveryKey)
    .sort();
}

/** Each capture counts once, and the amount of a payment is the sum of its captures. Contract 9.8. */
export function checkCaptures({ transactions }: LockedOrderState): Breach[] {
  const captured = paymentsOf(transactions).filter(({ captures }) => captures !== null);
  const groups = Map.groupBy(
    captured,
    ({ provider, notices }) => `${provider} ${orderOf(notices)}`,
  );
  return [...groups].flatMap(([, payments]) => {
    const counted = payments.flatMap(({ captures }) => captures ?? []);
    const ids = counted.map(({ pspId }) => pspId);
    const [first] = payments;
    const where = first?.transactionId ?? '';
    if (new Set(ids).size < ids.length) return [{ where, what: 'counts a capture twice' }];
    return payments.flatMap((payment) => checkCapturesOf(payment));
  });
}

function checkCapturesOf({ transactionId, captures, status, amount }: Payment): Breach[] {
  const sum = (captures ?? []).reduce((total, capture) => total + capture.amount, 0);
  const isShown = status !== 'succeeded' || sum === 0 || sum === amount;
  if (isShown) return [];
  return [{ where: transactionId, what: `shows ${amount} and its captures come to ${sum}` }];
}

function orderOf(notices: Payment['notices']): string {
  return notices.find(({ pspOrder }) => pspOrder !== undefined)?.pspOrder ?? '';
}

/** A payment succeeds only if the provider reported a capture. Contract 9.9. */
export function checkCaptured({ transactions }: LockedOrderState): Breach[] {
  return paymentsOf(transactions)
    .filter(({ status, notices }) => {
      const isProven = notices.some(
        (notice) => notice.status === 'succeeded' && (notice.record ?? 'capture') === 'capture',
      );
      return status === 'succeeded' && !isProven;
    })
    .map(({ transactionId }) => ({ where: transactionId, what: 'succeeded without a capture' }));
}
