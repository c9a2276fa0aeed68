/** Adds a refund to the state of its order, with the calls that its provider needs for it. Nothing is sent. */
import type { MinorUnits } from '../../domain/money/money.ts';
import { idsOf, newTransactionId } from '../../domain/order-state/matching.ts';
import { applyStart, type OrderState } from '../../domain/order-state/order-state.ts';
import { splitRefund } from '../../domain/order-state/refund-links.ts';
import type { RefundablePayment } from '../../domain/order-state/refund-request.ts';
import type { Start } from '../../domain/payments/start.ts';
import type { RefundToStart } from '../../providers/outbound.ts';
import { getProvider } from '../../providers/providers.ts';

type NewRefund = {
  readonly payment: RefundablePayment;
  readonly amount: MinorUnits;
  /** That of its transaction, unless given. */
  readonly requestId: string | undefined;
  /** `open`: it is sent at once; `unsent`: the worker sends it. */
  readonly call: 'open' | 'unsent';
} & Pick<NonNullable<Start['refund']>, 'isAll' | 'isLate'>;

export function startRefund<State extends OrderState>(
  orderState: State,
  refund: NewRefund,
  now: Date,
) {
  const { order, transactions } = orderState;
  const { payment, amount } = refund;
  const { provider, currency } = payment;
  const transactionId = newTransactionId(order.orderId, idsOf(transactions), now);
  const refundRequestId = refund.requestId ?? transactionId;
  const calls = splitRefund(transactions, payment, amount).map(
    (share, index): RefundToStart => ({
      ...share,
      callId: callIdOf(transactionId, index),
      transactionId,
      refundRequestId,
      currency,
    }),
  );
  const start = startOf(provider, calls, refund, now);
  const after = applyStart(orderState, { type: 'refund', transactionId, provider, start });
  return { after, transactionId, refundRequestId, calls };
}

/** Each part of a refund has its own id, which is the same each time the part is sent. */
export function callIdOf(transactionId: string, part: number): string {
  return part === 0 ? transactionId : `${transactionId}-${part + 1}`;
}

function startOf(
  provider: string,
  calls: readonly RefundToStart[],
  { amount, call, isAll, isLate }: NewRefund,
  now: Date,
): Start {
  const [first] = calls;
  if (!first) throw new Error('a refund without calls');
  const { currency, refundRequestId, paymentPspId } = first;
  const pspIdOf = (one: RefundToStart) => getProvider(provider).outbound.refundPspId?.(one);
  const pspTransactionId = pspIdOf(first);
  const parts = calls.map((one) => ({
    pspTransactionId: pspIdOf(one) ?? one.callId,
    capturePspId: one.paymentPspId,
    amount: one.amount,
    call,
  }));
  return {
    atMs: now.getTime(),
    amount,
    currency,
    call,
    refund: {
      requestId: refundRequestId,
      paymentPspId,
      ...(isAll && { isAll }),
      ...(isLate && { isLate }),
      ...(pspTransactionId !== undefined && { pspTransactionId }),
      ...(parts.length > 1 && { parts }),
    },
  };
}
