/**
 * What time alone changes in an order: its status, a part of an authorisation that was captured for good,
 * and an authorisation that nobody captures. Needs no notices, so that a reader sees the same as a writer.
 */
import type { ReviewFlag } from '../review-flag.ts';
import {
  decideOrderState,
  flagDuplicates,
  hasLapsed,
  type OrderState,
  type OrderSummary,
} from './order-state.ts';
import { type Payment, type Transaction, withFlags } from './transaction.ts';

/** A order state and the state of its order at one moment. */
export type SettledOrderState = OrderState & { readonly state: OrderSummary };

export function settle<Book extends OrderState>(
  orderState: Book,
  now: Date,
): Book & { readonly state: OrderSummary } {
  const settled = { ...orderState, transactions: settleTransactions(orderState, now) };
  return { ...settled, state: decideOrderState(settled, now) };
}

/** The same list where nothing is due. */
export function settleTransactions(
  orderState: Pick<OrderState, 'order' | 'transactions'>,
  now: Date,
): readonly Transaction[] {
  const { order, transactions } = orderState;
  const isLapsed = hasLapsed(orderState, now);
  const settled = transactions.map((entry) =>
    entry.type === 'payment' ? flagUncaptured(settlePart(entry, order, isLapsed, now), now) : entry,
  );
  const isSame = settled.every((entry, index) => entry === transactions[index]);
  return isSame ? transactions : flagDuplicates(settled, order.amounts);
}

/** Contract 4.9: authorized until the order lapses, then succeeded with what was captured. */
function settlePart(
  payment: Payment,
  { amounts, lapsesAt }: OrderState['order'],
  isLapsed: boolean,
  now: Date,
): Payment {
  const { partialCapture } = payment;
  if (partialCapture === null) return payment;
  const finishedAtMs = isLapsed && now >= lapsesAt ? lapsesAt.getTime() : null;
  const isSame = isLapsed === (payment.status === 'succeeded');
  if (isSame && finishedAtMs === payment.finishedAtMs) return payment;
  const { captured, authorized } = partialCapture;
  const flags = withoutFlags(payment, ['partially_captured', 'currency_mismatch']);
  if (!isLapsed) {
    return {
      ...payment,
      status: 'authorized',
      amount: authorized ?? captured,
      finishedAtMs: null,
      flags,
    };
  }
  const flag = payment.currency === amounts.currency ? 'partially_captured' : 'currency_mismatch';
  return {
    ...payment,
    status: 'succeeded',
    amount: captured,
    finishedAtMs,
    flags: withFlags(flags, [flag]),
  };
}

/** After so long an authorisation of a payment that was started here should have been captured. */
const captureSecondsMax = 3_600;

/** When a payment is flagged unless it is captured before; null where it never is. Contract 4.8. */
export function uncapturedAtMs({ start, status, authorizedAtMs }: Payment): number | null {
  if (start === null || status !== 'authorized') return null;
  return (authorizedAtMs ?? start.atMs) + captureSecondsMax * 1_000;
}

function flagUncaptured(payment: Payment, now: Date): Payment {
  const dueAtMs = uncapturedAtMs(payment);
  const isDue = dueAtMs !== null && now.getTime() >= dueAtMs;
  if (isDue === payment.flags.includes('not_captured')) return payment;
  const flags = withoutFlags(payment, ['not_captured']);
  return { ...payment, flags: withFlags(flags, isDue ? ['not_captured'] : []) };
}

function withoutFlags({ flags }: Payment, gone: readonly ReviewFlag[]): readonly ReviewFlag[] {
  return flags.filter((flag) => !gone.includes(flag));
}
