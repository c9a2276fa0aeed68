/**
 * Refunds a payment: decided and kept under the lock of its order, so that two at once never exceed what
 * is available; then asked for at the provider. One that cannot be reached now is asked later, as often as
 * it takes: the refund stands. Decision 11.5.
 */
import { ServiceError } from '../domain/errors.ts';
import type { RefundablePayment, WishedRefund } from '../domain/refund-request.ts';
import type { Refund } from '../domain/transaction.ts';
import type { Caller } from '../security/tokens.ts';
import { lockBook } from './books.ts';
import type { TransactionType } from './enquire.ts';
import { keepRefund, typeOf } from './keep-refund.ts';
import { type EnquiredIds, getNamedOrder } from './named-order.ts';
import { askForRefund } from './refund-calls.ts';
import type { Services } from './services.ts';

export type RefundRequest = WishedRefund & { readonly invoiceId: string | undefined };

export type RefundReply = {
  readonly paymentTransactionId: string;
  readonly refund: Refund;
  readonly transactionType: TransactionType;
};

export async function refund(
  services: Services,
  caller: Caller,
  request: RefundRequest,
): Promise<RefundReply> {
  const { accountId } = caller;
  const account = await services.accounts.get(accountId);
  const ids: EnquiredIds = { transactionId: request.transactionId, invoiceId: request.invoiceId };
  if (ids.transactionId === undefined && ids.invoiceId === undefined) {
    throw new ServiceError('INVALID_REQUEST_PARAMETER', 'Send transaction_id or invoice_id.');
  }
  const { orderId } = (await getNamedOrder(services, caller, ids)).order;
  const kept = await services.database.transaction(async (tx) =>
    keepRefund(tx, services, account, await lockBook(tx, accountId, orderId), request),
  );
  const { transactionId, calls } = kept;
  const { provider } = kept.payment;
  services.asks.plan({ accountId, transactionId, provider, at: kept.askAt });
  try {
    for (const call of calls) {
      await askForRefund(services, account, orderId, kept.api, provider, call);
    }
    return await replyOf(services, accountId, orderId, kept);
  } catch (error) {
    // It is kept and will be made: whoever was told otherwise would ask for it a second time.
    services.reportDefect(error, { transactionId });
    return { paymentTransactionId: kept.payment.transactionId, ...kept.asKept };
  }
}

async function replyOf(
  { batches }: Services,
  accountId: string,
  orderId: string,
  kept: { readonly payment: RefundablePayment; readonly transactionId: string },
): Promise<RefundReply> {
  const question = { accountId, idName: 'order_id', id: orderId } as const;
  const found = await batches.findOrderWithTransactions(question);
  const transactions = found?.transactions ?? [];
  const saved = transactions.find(({ transactionId }) => transactionId === kept.transactionId);
  if (saved?.type !== 'refund' || !found) throw new Error('a refund that was kept is gone');
  const transactionType = typeOf(saved, found);
  return { paymentTransactionId: kept.payment.transactionId, refund: saved, transactionType };
}
