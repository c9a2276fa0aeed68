/**
 * Starts a payment: stores it, calls the provider, then saves the result. The payment is stored first, so that no
 * provider ever has a payment that is unknown here, whenever the process ends. Contract 11.4.
 */
import type { Account } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findOpenPayment } from '../../domain/order-state/checkout-step.ts';
import { idsOf, newTransactionId, paymentsOf } from '../../domain/order-state/matching.ts';
import { applyStart, type OrderState } from '../../domain/order-state/order-state.ts';
import { settle } from '../../domain/order-state/settle.ts';
import { checkCallback } from '../../domain/orders/callback.ts';
import { contactOf } from '../../domain/orders/consumer.ts';
import type { Order } from '../../domain/orders/order.ts';
import { refuseClosed } from '../../domain/orders/order-update.ts';
import type { PaymentModeCode } from '../../domain/payment-mode.ts';
import { failureReason } from '../../domain/payments/failure.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { CallResult, Start } from '../../domain/payments/start.ts';
import { isFinal } from '../../domain/payments/transaction.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { ProviderApi } from '../../providers/call.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Caller } from '../../security/tokens.ts';
import { findBankAccount } from '../../services/bank-account.ts';
import { getOrderRoute } from '../../services/order-routes.ts';
import type { Services } from '../../services/services.ts';
import { saveChosen } from '../../store/orders/checkouts.ts';
import { saveAnswer } from '../../store/payments/idempotency-keys.ts';
import { loadOrderState } from '../order-state/lock-order-state.ts';
import { saveOrderState } from '../order-state/save-order-state.ts';
import { changedBy, countTokenChange, lockVisibleOrder } from '../orders/order-access.ts';
import {
  type AnsweredRequest,
  claimFirst,
  findAnswered,
  findFirstAnswer,
  keyedRequest,
  type Replayable,
} from './idempotency.ts';
import {
  launchPageOf,
  notStartedMessage,
  type PaymentReply,
  replyFromStored,
  replyToStart,
  toPayment,
} from './payment-reply.ts';
import { callResultOfStart, recordCall } from './record-calls.ts';

export type PaymentRequest = {
  readonly orderId: string;
  readonly modeCode: PaymentModeCode;
  /** The bank, wallet or UPI id that the consumer chose. */
  readonly choice: Readonly<Record<string, string>> | undefined;
  readonly callbackUrl: string | undefined;
  readonly callbackMode: string | undefined;
  /**
   * Set by the checkout page: how many payments the order had when the page was shown. The payment is started only if
   * there are no more by now and none is open. Contract 14.3.
   */
  readonly atCheckout?: { readonly attempt: number; readonly inFrame: boolean };
};

const refused = { what: 'to start the payment', code: 'PROVIDER_TECHNICAL_ERROR' } as const;

/** A repeat with the same idempotency key starts no payment and gets the first reply. Contract 11.9. */
export async function startPayment(
  services: Services,
  caller: Caller,
  request: PaymentRequest,
  idempotencyKey?: string,
): Promise<Replayable<PaymentReply>> {
  const account = await services.accounts.get(caller.accountId);
  const stored = await storePayment(services, account, caller, request, idempotencyKey);
  return stored.kind === 'answered'
    ? { reply: await replayPayment(services, stored), replayed: true }
    : { reply: await startAtProvider(services, stored), replayed: false };
}

type StoredPayment = Exclude<Awaited<ReturnType<typeof storePayment>>, AnsweredRequest>;

async function startAtProvider(services: Services, stored: StoredPayment): Promise<PaymentReply> {
  const { accountId, payment, provider, api, keyed } = stored;
  const { orderId, transactionId } = payment;
  const { answer, result } = await getProvider(provider).outbound.startPayment(api, payment);
  const ids = { orderId, transactionId };
  const about = { ...ids, accountId, provider };
  const call = { ...about, operation: 'start-payment', answer } as const;
  const intentCall = result.kind === 'done' ? result.intentCall : undefined;
  const more = intentCall ? [{ ...about, operation: 'start-intent', ...intentCall } as const] : [];
  const now = services.clock();
  const callResult = callResultOfStart(result, refused, now, (why) => notStarted(why, now));
  const launchPage = launchPageOf(services, accountId, transactionId);
  const reply = replyToStart(launchPage, ids, result);
  const saveReply = keyed && ((tx: Transaction) => saveAnswer(tx, keyed, transactionId, reply));
  try {
    await recordCall(services, { ...call, outcome: result.kind, callResult }, more, saveReply);
    return reply;
  } catch (error) {
    // The payment is stored, so polling the provider finds its result.
    services.reportDefect(error, { transactionId });
    return replyToStart(launchPage, ids, { kind: 'unknown', why: 'the result could not be saved' });
  }
}

/** Nothing was charged, so the consumer may try again at once. Contract 4.16. */
function notStarted(why: string, now: Date): CallResult {
  const failure = failureReason('PROVIDER_UNAVAILABLE', notStartedMessage(why));
  return { call: 'refused', failure, atMs: now.getTime() };
}

async function replayPayment(
  services: Pick<Services, 'database' | 'batches' | 'waitingRepeats' | 'clock' | 'settings'>,
  answered: AnsweredRequest,
): Promise<PaymentReply> {
  const answer = await findFirstAnswer<PaymentReply>(services, answered);
  if (answer) return answer;
  const { accountId } = answered.keyed;
  const { transactionId } = answered.first;
  const question = { accountId, idName: 'transaction_id', id: transactionId } as const;
  const found = await services.batches.findOrderWithTransactions(question);
  const payment = paymentsOf(found?.transactions ?? []).find(
    (entry) => entry.transactionId === transactionId,
  );
  if (!found || !payment) throw new Error('a stored payment is missing');
  const launchPage = launchPageOf(services, accountId, transactionId);
  return replyFromStored(launchPage, { orderId: found.order.orderId, transactionId }, payment);
}

async function storePayment(
  services: Services,
  account: Account,
  caller: Caller,
  request: PaymentRequest,
  idempotencyKey: string | undefined,
) {
  return services.database.transaction(async (tx) => {
    const order = await lockVisibleOrder(tx, caller, request.orderId);
    const { accountId, orderId } = order;
    const content = { ...request, orderId };
    const keyed = keyedRequest(caller, 'initiate-payment', idempotencyKey, content);
    const answered = await findAnswered(tx, services, keyed);
    if (answered) return answered;
    const now = services.clock();
    refuseClosed(order, now);
    checkCallback(order.details, request, account, changedBy(caller));
    const before = await loadOrderState(tx, order);
    const { provider, api } = getOrderRoute(services, account, order, request.modeCode);
    refusePayment(before, request);
    await countTokenChange(tx, caller, order);
    const transactionId = newTransactionId(orderId, idsOf(before.transactions), now);
    const holdDays = account.captureMode === 'manual' ? findHoldDays(provider, api) : undefined;
    const start = { ...startOf(order, request, now), ...(holdDays !== undefined && { holdDays }) };
    const after = applyStart(before, { type: 'payment', transactionId, provider, start });
    const change = { now, cause: 'initiate-payment' };
    await saveOrderState(tx, services, before, settle(after, now), change);
    if (request.atCheckout && (await saveChosen(tx, order, now))) {
      tx.onCommit(() => services.counters.noteCheckout('chosen'));
    }
    await claimFirst(tx, services, keyed, { orderId, transactionId });
    const started = toPayment(services, account, order, { transactionId, provider, start });
    const bankAccount = findBankAccount(account, order);
    const payment = {
      ...started,
      consumer: contactOf(order.details.user),
      ...(bankAccount && { bankAccount }),
    };
    return { kind: 'new' as const, accountId, payment, provider, api, keyed };
  });
}

/** Stored with the payment: a later change of the settings does not move the end of its hold. Contract 16.1. */
function findHoldDays(provider: ProviderName, { settings }: ProviderApi): number | undefined {
  return getProvider(provider).outbound.holds?.days(settings);
}

function refusePayment({ transactions }: OrderState, { atCheckout }: PaymentRequest): void {
  refuseFullOrder({ transactions });
  const payments = paymentsOf(transactions);
  const open = payments.filter(({ status }) => !isFinal(status));
  // Each payment creates an order at the provider, so an order token must not be able to start any number of them.
  if (open.length >= paymentLimits.openPaymentsMax) {
    throw new ServiceError(
      'ORDER_CONFLICT',
      `The order has ${open.length} payments that are not final: wait for their outcome before starting another.`,
    );
  }
  // Two tabs, a reload or the back button must not start a second payment.
  const isOutdated = atCheckout !== undefined && payments.length !== atCheckout.attempt;
  if (isOutdated || (atCheckout && findOpenPayment(transactions))) {
    throw new ServiceError('ORDER_CONFLICT');
  }
}

/** Refuses to start another transaction on an order that has as many as the limit allows. Contract 4.14. */
export function refuseFullOrder({ transactions }: Pick<OrderState, 'transactions'>): void {
  if (transactions.length < paymentLimits.transactionsMax) return;
  throw new ServiceError(
    'ORDER_CONFLICT',
    `The order has ${transactions.length} transactions, which is the most it can have: create another order.`,
  );
}

function startOf(order: Order, request: PaymentRequest, now: Date): Start {
  const { modeCode, choice, callbackUrl, callbackMode } = request;
  return {
    atMs: now.getTime(),
    amount: order.amounts.total,
    currency: order.amounts.currency,
    call: 'open',
    modeCode,
    ...(choice && { subPaymentMode: choice }),
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(callbackMode !== undefined && { callbackMode }),
    ...(request.atCheckout && { origin: 'checkout' }),
    ...(request.atCheckout?.inFrame && { inFrame: true }),
  };
}
