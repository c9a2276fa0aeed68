/** Decides a refund and stores it with its request id under the order's lock. It does not call the provider. */
import type { Account } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { OrderState } from '../../domain/order-state/order-state.ts';
import { linkRefunds, refundTypeOf } from '../../domain/order-state/refund-links.ts';
import { decideRefund, type RequestedRefund } from '../../domain/order-state/refund-request.ts';
import { settle } from '../../domain/order-state/settle.ts';
import type { Refund } from '../../domain/payments/transaction.ts';
import type { Transaction } from '../../postgres/database.ts';
import { getProvider } from '../../providers/providers.ts';
import { findProviderApi } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import { claimRefundRequest, findLiveRefundOf } from '../../store/payments/refund-requests.ts';
import type { LockedOrderState } from '../order-state/lock-order-state.ts';
import { saveOrderState } from '../order-state/save-order-state.ts';
import { startRefund } from '../order-state/start-refund.ts';
import { claimFirst, findAnswered, type KeyedRequest } from './idempotency.ts';
import { refuseFullOrder } from './start-payment.ts';

type Stored = Awaited<ReturnType<typeof storeRefund>>;
export type StoredRefund = Extract<Stored, { readonly kind: 'new' }>;
export type RepeatedRefund = Extract<Stored, { readonly kind: 'repeat' }>;

export type RefundReply = ReturnType<typeof refundReply>;

export async function storeRefund(
  tx: Transaction,
  services: Pick<Services, 'announcer' | 'callProvider' | 'clock' | 'settings'>,
  account: Account,
  before: LockedOrderState,
  request: RequestedRefund,
  keyed: KeyedRequest | undefined,
) {
  const answered = await findAnswered(tx, services, keyed);
  if (answered) return answered;
  const { orderId } = before.order;
  const { refundRequestId: sentId } = request;
  // The request id may belong to a refund of another order. Checked before the amount.
  const holder =
    sentId === undefined ? undefined : await findLiveRefundOf(tx, account.accountId, sentId);
  if (holder !== undefined && !holder.startsWith(`${orderId}-`)) {
    throw new ServiceError('DUPLICATE_REFUND_REQUEST');
  }
  const now = services.clock();
  // Decided on the state that an enquiry would show: the order may have lapsed since it was stored.
  const current = settle(before, now);
  const decided = decideRefund(current, request);
  if (decided.kind === 'repeat') {
    const { transactionId } = decided.refund;
    await claimFirst(tx, services, keyed, { orderId, transactionId });
    return decided;
  }
  const { payment, amount } = decided;
  refuseFullOrder(before);
  const { provider } = payment;
  const api = findProviderApi(services, account, provider);
  if (!api) {
    throw new ServiceError(
      'REFUND_NOT_ALLOWED',
      `The account has no API settings for ${getProvider(provider).displayName}: ask the operator to set them.`,
    );
  }
  const { after, transactionId, refundRequestId, calls } = startRefund(
    current,
    {
      payment,
      amount,
      requestId: sentId,
      call: 'open',
      ...(request.amount === undefined && { isAll: true }),
    },
    now,
  );
  await saveOrderState(tx, services, before, settle(after, now), { now, cause: 'refund' });
  // Ends the race between two refunds with one request id for different orders: only one claims it.
  if (!(await claimRefundRequest(tx, account.accountId, refundRequestId, transactionId))) {
    throw new ServiceError('DUPLICATE_REFUND_REQUEST');
  }
  await claimFirst(tx, services, keyed, { orderId, transactionId });
  const refund = after.transaction;
  if (refund.type !== 'refund') throw new Error('a refund was stored as another type');
  // The state before the provider is called.
  const replyIfCallFails = refundReply(refund, payment.transactionId, after);
  return { kind: 'new' as const, api, provider, transactionId, calls, replyIfCallFails };
}

/** The refund as the merchant sees it. */
export function refundReply(
  refund: Refund,
  paymentTransactionId: string,
  { order, transactions }: Pick<OrderState, 'order' | 'transactions'>,
) {
  const { transactionId, refundRequestId, status, refundArn } = refund;
  const transactionType = refundTypeOf(refund, linkRefunds(transactions), order.amounts.total);
  const common = { paymentTransactionId, transactionId, refundRequestId };
  return { ...common, status, refundArn, transactionType };
}
