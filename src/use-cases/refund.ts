/**
 * Refunds a payment: decided and kept under the lock of its order, so that two at once never exceed what
 * is available; then asked for at the provider. One that cannot be reached now is asked later, as often as
 * it takes: the refund stands. Decision 11.5.
 */
import type { Account } from '../domain/account.ts';
import { ServiceError } from '../domain/errors.ts';
import { newTransactionId } from '../domain/matching.ts';
import type { MinorUnits } from '../domain/money.ts';
import { keepStart, type OrderBook } from '../domain/order-book.ts';
import { refundTypeOf } from '../domain/refund-links.ts';
import {
  decideRefund,
  type RefundablePayment,
  type WishedRefund,
} from '../domain/refund-request.ts';
import { splitRefund } from '../domain/refund-split.ts';
import { settle } from '../domain/settle.ts';
import type { Start } from '../domain/start.ts';
import { addSeconds } from '../domain/time.ts';
import type { Refund } from '../domain/transaction.ts';
import type { ProviderApi } from '../providers/call.ts';
import type { RefundToStart } from '../providers/outbound.ts';
import { getProvider } from '../providers/providers.ts';
import type { Caller } from '../security/tokens.ts';
import type { Transaction } from '../store/database.ts';
import { takeRefundRequest } from '../store/refund-requests.ts';
import { type LockedBook, lockBook } from './books.ts';
import type { TransactionType } from './enquire.ts';
import { refuseFullOrder } from './full-order.ts';
import { type EnquiredIds, getNamedOrder } from './named-order.ts';
import { findProviderApi } from './provider-apis.ts';
import { keepAnswers, newsOfStart, recordCall } from './record-call.ts';
import { saveBook } from './save-books.ts';
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

async function keepRefund(
  tx: Transaction,
  services: Services,
  account: Account,
  before: LockedBook,
  request: RefundRequest,
) {
  const now = services.clock();
  // As an enquiry shows it: time may have settled what is stored.
  const current = settle(before, now);
  const { payment, amount } = decideRefund(current, request);
  refuseFullOrder(before);
  const { provider } = payment;
  const api = findProviderApi(services, account, provider);
  if (!api) {
    throw new ServiceError(
      'REFUND_NOT_ALLOWED',
      `The account has no API settings for ${getProvider(provider).displayName}: ask the operator to set them.`,
    );
  }
  const isTaken = (id: string) =>
    before.transactions.some(({ transactionId }) => transactionId === id);
  const transactionId = newTransactionId(before.order.orderId, now, isTaken);
  const refundRequestId = request.refundRequestId ?? transactionId;
  const shares = splitRefund(current.transactions, payment, amount);
  const { currency } = payment;
  const calls = shares.map(
    (share, index): RefundToStart => ({
      ...share,
      callId: callIdOf(transactionId, index),
      transactionId,
      refundRequestId,
      currency,
    }),
  );
  const askAt = addSeconds(now, services.settings.askSeconds);
  const after = keepStart(current, {
    type: 'refund',
    transactionId,
    provider,
    start: startOf(provider, calls, amount, now),
  });
  await saveBook(tx, before, settle(after, now), { now, askAt, cause: 'refund' });
  // Of two under one request id, for two orders of the account, one gets it.
  if (!(await takeRefundRequest(tx, account.accountId, refundRequestId, transactionId))) {
    throw new ServiceError('DUPLICATE_REFUND_REQUEST');
  }
  const refund = after.transaction;
  if (refund.type !== 'refund') throw new Error('a refund was kept as something else');
  const asKept = { refund, transactionType: typeOf(refund, after) };
  return { api, payment, transactionId, calls, askAt, asKept };
}

function startOf(
  provider: string,
  calls: readonly RefundToStart[],
  amount: MinorUnits,
  now: Date,
): Start {
  const [first] = calls;
  if (!first) throw new Error('a refund of nothing');
  const { currency, refundRequestId, paymentPspId } = first;
  const pspIdOf = (call: RefundToStart) => getProvider(provider).outbound.refundPspId?.(call);
  const pspTransactionId = pspIdOf(first);
  const parts = calls.map((call) => ({
    pspTransactionId: pspIdOf(call) ?? call.callId,
    capturePspId: call.paymentPspId,
    amount: call.amount,
    call: 'open' as const,
  }));
  return {
    atMs: now.getTime(),
    amount,
    currency,
    call: 'open',
    refund: {
      requestId: refundRequestId,
      paymentPspId,
      ...(pspTransactionId !== undefined && { pspTransactionId }),
      ...(parts.length > 1 && { parts }),
    },
  };
}

/** The provider knows each part of a refund by an id of its own, the same whenever it is sent. */
function callIdOf(transactionId: string, part: number): string {
  return part === 0 ? transactionId : `${transactionId}-${part + 1}`;
}

/** The provider's ids of calls, where they are ours to choose. */
export function pspIdsOf(
  provider: string,
  calls: readonly RefundToStart[],
): readonly string[] | undefined {
  const { refundPspId } = getProvider(provider).outbound;
  return refundPspId && calls.map((call) => refundPspId(call));
}

/** The calls of a refund that was started, one for each part that the provider has not refused. */
export function refundCallsOf(transactionId: string, start: Start): readonly RefundToStart[] {
  const { refund, amount, currency } = start;
  if (!refund) return [];
  const { requestId: refundRequestId, paymentPspId, parts } = refund;
  const common = { transactionId, refundRequestId, currency };
  if (!parts) return [{ ...common, callId: transactionId, paymentPspId, amount }];
  return parts.flatMap((part, index) => {
    const callId = callIdOf(transactionId, index);
    const call = { ...common, callId, paymentPspId: part.capturePspId, amount: part.amount };
    return part.call === 'refused' ? [] : [call];
  });
}

const refused = { what: 'the refund', code: 'REFUND_FAILED' } as const;

/** Sent with the same id each time: however often, the provider makes one refund of it. */
export async function askForRefund(
  services: Services,
  account: Account,
  orderId: string,
  api: ProviderApi,
  provider: string,
  refund: RefundToStart,
): Promise<void> {
  const { answer, result } = await getProvider(provider).outbound.startRefund(api, refund);
  await recordCall(services, {
    accountId: account.accountId,
    orderId,
    transactionId: refund.transactionId,
    provider,
    operation: 'start-refund',
    answer,
    outcome: result.kind,
    news: newsOfStart(result, refused, services.clock()),
    partPspIds: pspIdsOf(provider, [refund]),
  });
  if (result.kind === 'done') await keepAnswers(services, account, provider, result.records);
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

function typeOf(
  refund: Refund,
  { order, transactions }: Pick<OrderBook, 'order' | 'transactions'>,
): TransactionType {
  return refundTypeOf(refund, transactions, order.amounts.total);
}
