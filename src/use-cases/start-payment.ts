/**
 * Starts a payment: kept first, then asked for at the provider, then what came of it is written down. So
 * a payment is never unknown here that is known there, whenever this process should end. Decision 11.4.
 */
import type { Account } from '../domain/account.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { newTransactionId, paymentsOf } from '../domain/matching.ts';
import type { ProviderName } from '../domain/notice.ts';
import type { Order } from '../domain/order.ts';
import { keepStart } from '../domain/order-book.ts';
import type { PaymentModeCode } from '../domain/payment-mode.ts';
import { settle } from '../domain/settle.ts';
import type { Start } from '../domain/start.ts';
import { addSeconds } from '../domain/time.ts';
import { isFinal } from '../domain/transaction.ts';
import { isWebAddress } from '../domain/web-address.ts';
import type { Outcome, PaymentToStart, StartedPayment } from '../providers/outbound.ts';
import { getProvider } from '../providers/providers.ts';
import type { Caller } from '../security/tokens.ts';
import { type LockedBook, loadBooks } from './books.ts';
import { countTokenChange } from './count-token-change.ts';
import { refuseFullOrder } from './full-order.ts';
import { lockOpenOrder } from './lock-open-order.ts';
import { findRoute, webhookUrlOf } from './provider-apis.ts';
import { newsOfStart, recordCall } from './record-call.ts';
import { saveBook } from './save-books.ts';
import type { Services } from './services.ts';

export type PaymentRequest = {
  readonly orderId: string;
  readonly modeCode: PaymentModeCode;
  /** The bank, the wallet or the UPI id the consumer chose. */
  readonly choice: Readonly<Record<string, string>> | undefined;
  readonly callbackUrl: string | undefined;
};

export type PaymentReply = {
  readonly orderId: string;
  readonly transactionId: string;
  readonly status: 'pending' | 'failed';
  readonly message: string;
  /** Where the consumer pays. */
  readonly redirectUrl: string | undefined;
};

const refused = { what: 'to start the payment', code: 'PROVIDER_TECHNICAL_ERROR' } as const;

export async function startPayment(
  services: Services,
  caller: Caller,
  request: PaymentRequest,
): Promise<PaymentReply> {
  const { accountId } = caller;
  const account = await services.accounts.get(accountId);
  const kept = await keepPayment(services, account, caller, request);
  const { payment, provider, api } = kept;
  const { orderId, transactionId } = payment;
  services.asks.plan({ accountId, transactionId, provider, at: kept.askAt });
  const { answer, result } = await getProvider(provider).outbound.startPayment(api, payment);
  const named = { accountId, orderId, transactionId, provider };
  const called = { ...named, operation: 'start-payment', answer } as const;
  const news = newsOfStart(result, refused, services.clock());
  try {
    await recordCall(services, { ...called, outcome: result.kind, news });
    return replyOf(services, account, payment, result);
  } catch (error) {
    // It is kept, and what became of it is found out by asking the provider.
    services.reportDefect(error, { transactionId });
    return replyOf(services, account, payment, { kind: 'unknown', why: 'it could not be noted' });
  }
}

async function keepPayment(
  services: Services,
  account: Account,
  caller: Caller,
  request: PaymentRequest,
) {
  return services.database.transaction(async (tx) => {
    const order = await lockOpenOrder(tx, services, caller, request.orderId);
    const [before = { order, transactions: [], held: [] }] = await loadBooks(tx, [order]);
    const route = findRoute(services, account, request.modeCode);
    if (!route) throw new ServiceError('PAYMENT_MODE_NOT_ENABLED');
    const { provider, api } = route;
    refuseTooMany(before);
    await countTokenChange(tx, caller, order);
    const now = services.clock();
    const askAt = addSeconds(now, services.settings.askSeconds);
    const isTaken = (id: string) =>
      before.transactions.some(({ transactionId }) => transactionId === id);
    const transactionId = newTransactionId(before.order.orderId, now, isTaken);
    const start = startOf(order, request, now);
    const after = keepStart(before, { type: 'payment', transactionId, provider, start });
    const change = { now, askAt, cause: 'initiate-payment' };
    await saveBook(tx, before, settle(after, now), change);
    const payment = toPayment(services, account, order, { transactionId, provider, start });
    return { payment, provider, api, askAt };
  });
}

/** Each makes an order at the provider: whoever has the order's token could make them without end. */
function refuseTooMany(book: LockedBook): void {
  const { transactions } = book;
  refuseFullOrder(book);
  const open = paymentsOf(transactions).filter(({ status }) => !isFinal(status));
  if (open.length < limits.openPaymentsMax) return;
  throw new ServiceError(
    'ORDER_CONFLICT',
    `The order has ${open.length} payments that are not final: wait for their outcome before starting another.`,
  );
}

function startOf(order: Order, request: PaymentRequest, now: Date): Start {
  const { modeCode, choice } = request;
  // The order may hold the address of an app, which no provider's page can lead to.
  const ofOrder = order.details.callbackUrl;
  const callbackUrl =
    request.callbackUrl ?? (ofOrder && isWebAddress(ofOrder) ? ofOrder : undefined);
  return {
    atMs: now.getTime(),
    amount: order.amounts.total,
    currency: order.amounts.currency,
    call: 'open',
    modeCode,
    ...(choice && { subPaymentMode: choice }),
    ...(callbackUrl !== undefined && { callbackUrl }),
  };
}

/** A payment that was started, as its provider gets it. */
export function toPayment(
  services: Services,
  account: Account,
  order: Pick<Order, 'orderId' | 'invoiceId' | 'details'>,
  started: {
    readonly transactionId: string;
    readonly provider: ProviderName;
    readonly start: Start;
  },
): PaymentToStart {
  const { transactionId, provider, start } = started;
  const { orderId, invoiceId, details } = order;
  return {
    transactionId,
    orderId,
    invoiceId,
    amount: start.amount,
    currency: start.currency,
    modeCode: start.modeCode ?? 'upi',
    choice: start.subPaymentMode ?? {},
    description: details.description ?? `Order ${invoiceId}`,
    shopName: account.name,
    callbackUrl: start.callbackUrl,
    webhookUrl: webhookUrlOf(services, provider, account.accountId),
  };
}

type Result = Outcome<StartedPayment>['result'];

function replyOf(
  services: Services,
  { accountId }: Account,
  { orderId, transactionId }: PaymentToStart,
  result: Result,
): PaymentReply {
  const reply = { orderId, transactionId, redirectUrl: undefined };
  switch (result.kind) {
    case 'done': {
      const launchPage = `${services.settings.publicUrl}/pay/${accountId}/${transactionId}`;
      const redirectUrl = result.redirectUrl ?? launchPage;
      return {
        ...reply,
        status: 'pending',
        message: 'Send the consumer to the payment page.',
        redirectUrl,
      };
    }
    case 'refused': {
      const message = `The provider refused to start the payment: ${result.why}.`;
      return { ...reply, status: 'failed', message };
    }
    case 'unknown':
    case 'not-sent': {
      const message =
        'The provider has not answered yet: ask for the outcome with transaction-enquiry, or start another payment.';
      return { ...reply, status: 'pending', message };
    }
    default:
      return result satisfies never;
  }
}
