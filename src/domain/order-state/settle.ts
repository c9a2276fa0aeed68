/**
 * Settles an order state: applies what changes with time alone, which is the order's status, partly captured payments
 * and the flag of payments that nobody captures. It needs no notices, so readers see the same state as writers.
 */
import { type Payment, setFlag, type Transaction, withFlags } from '../payments/transaction.ts';
import {
  decideOrderSummary,
  hasLapsed,
  lapseTimeOf,
  type OrderState,
  type OrderSummary,
} from './order-state.ts';
import { flagDuplicates, listAnnounced } from './relate.ts';

export type SettledOrderState = OrderState & { readonly summary: OrderSummary };

export function settle<State extends OrderState>(
  orderState: State,
  now: Date,
): State & { readonly summary: OrderSummary } {
  const settled = { ...orderState, transactions: settleTransactions(orderState, now) };
  return { ...settled, summary: decideOrderSummary(settled, now) };
}

/** Returns the same list when nothing changes. */
export function settleTransactions(
  orderState: Pick<OrderState, 'order' | 'transactions'>,
  now: Date,
): readonly Transaction[] {
  const { order, transactions } = orderState;
  const isLapsed = hasLapsed(orderState, now);
  const settled = transactions.map((entry) =>
    entry.type === 'payment'
      ? flagUncaptured(settlePartialCapture(entry, orderState, isLapsed, now), now)
      : entry,
  );
  const isSame = settled.every((entry, index) => entry === transactions[index]);
  // A duplicate of before is not the first payment, so it stays one.
  return isSame
    ? transactions
    : flagDuplicates(settled, order.amounts, listAnnounced(transactions));
}

/** A partly captured payment is authorized until the order lapses, then succeeded with the captured amount. Contract 4.9. */
function settlePartialCapture(
  payment: Payment,
  orderState: Pick<OrderState, 'order' | 'transactions'>,
  isLapsed: boolean,
  now: Date,
): Payment {
  const { partialCapture } = payment;
  if (partialCapture === null) return payment;
  const { amounts } = orderState.order;
  const lapsesAt = lapseTimeOf(orderState);
  const finishedAtMs = isLapsed && now >= lapsesAt ? lapsesAt.getTime() : null;
  const isSame = isLapsed === (payment.status === 'succeeded');
  if (isSame && finishedAtMs === payment.finishedAtMs) return payment;
  const { captured, authorized } = partialCapture;
  const others = payment.flags.filter(
    (flag) => flag !== 'partially_captured' && flag !== 'currency_mismatch',
  );
  const flag = payment.currency === amounts.currency ? 'partially_captured' : 'currency_mismatch';
  return {
    ...payment,
    status: isLapsed ? 'succeeded' : 'authorized',
    amount: isLapsed ? captured : (authorized ?? captured),
    finishedAtMs,
    flags: isLapsed ? withFlags(others, [flag]) : others,
  };
}

/** The provider captures a payment that was started here this long after its authorisation. */
const captureSecondsMax = 3_600;
/** How long before the end of a hold the payment is flagged. Contract 16.2. */
const holdWarningSeconds = 24 * 3_600;

/** When an uncaptured payment is flagged; null for a payment that is not waiting for a capture. Contract 4.8. */
export function uncapturedAtMs({ start, status, hold, authorizedAtMs }: Payment): number | null {
  if (start === null || status !== 'authorized') return null;
  if (hold) return hold.expiresAtMs - holdWarningSeconds * 1_000;
  return (authorizedAtMs ?? start.atMs) + captureSecondsMax * 1_000;
}

function flagUncaptured(payment: Payment, now: Date): Payment {
  const dueAtMs = uncapturedAtMs(payment);
  const isDue = dueAtMs !== null && now.getTime() >= dueAtMs;
  return setFlag(payment, 'not_captured', isDue);
}
