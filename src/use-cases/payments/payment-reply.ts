/**
 * Builds the reply of initiate-payment from the provider's answer or from the stored payment, and the payment in the form
 * that the provider's adapter takes.
 */
import type { Account } from '../../domain/accounts/account.ts';
import type { StartedTransaction } from '../../domain/order-state/matching.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { PaymentStatus } from '../../domain/payments/notice.ts';
import type { Payment } from '../../domain/payments/transaction.ts';
import type { Outcome, PaymentToLaunch, StartedPayment } from '../../providers/outbound.ts';
import { getProvider } from '../../providers/providers.ts';
import { webhookUrlOf } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';

export type PaymentReply = {
  readonly orderId: string;
  readonly transactionId: string;
  readonly status: Exclude<PaymentStatus, 'new'>;
  readonly message: string;
  /** Where the consumer pays. */
  readonly redirectUrl?: string;
  /** Opens the consumer's UPI app instead. */
  readonly intentUrl?: string;
};

type ReplyIds = Pick<PaymentReply, 'orderId' | 'transactionId'>;

export function replyToStart(
  launchPage: string,
  ids: ReplyIds,
  result: Outcome<StartedPayment>['result'],
): PaymentReply {
  switch (result.kind) {
    case 'done':
      return payable(ids, result.redirectUrl ?? launchPage, result.intentUrl);
    case 'refused': {
      const message = `The provider refused to start the payment: ${result.why}.`;
      return { ...ids, status: 'failed', message };
    }
    case 'unknown':
      return undecided(ids);
    case 'not-sent':
      return { ...ids, status: 'failed', message: notStartedMessage(result.why) };
    default:
      return result satisfies never;
  }
}

export function notStartedMessage(why: string): string {
  return `The payment was not started, because ${why}. Nothing was charged: try again.`;
}

/** For a repeat whose first request got no reply because its process ended. */
export function replyFromStored(launchPage: string, ids: ReplyIds, payment: Payment): PaymentReply {
  const { status, start, failure } = payment;
  switch (status) {
    case 'new':
    case 'pending':
      if (!hasPaymentPage(payment)) return undecided(ids);
      return payable(ids, start?.redirectUrl ?? launchPage, start?.intentUrl);
    case 'failed': {
      const message = failure?.merchantMessage ?? 'The payment has failed.';
      return { ...ids, status, message };
    }
    default:
      return { ...ids, status, message: `The payment is ${status}.` };
  }
}

/** True if there is a page of the provider on which this payment can be made. */
export function hasPaymentPage({ provider, start }: Payment): boolean {
  if (start?.redirectUrl !== undefined) return true;
  return start?.providerOrderId !== undefined && !!getProvider(provider).outbound.launchForm;
}

function payable(ids: ReplyIds, redirectUrl: string, intentUrl?: string): PaymentReply {
  const message = `Send the consumer to the payment page${intentUrl === undefined ? '' : ', or open their UPI app'}.`;
  const reply = { ...ids, status: 'pending', message, redirectUrl } as const;
  return intentUrl === undefined ? reply : { ...reply, intentUrl };
}

function undecided(ids: ReplyIds): PaymentReply {
  const message =
    'The provider has not answered yet: ask for the outcome with transaction-enquiry, or start another payment.';
  return { ...ids, status: 'pending', message };
}

/** Our page that sends the consumer to the provider. */
export function launchPageOf(
  { settings }: Pick<Services, 'settings'>,
  accountId: string,
  transactionId: string,
): string {
  return `${settings.publicUrl}/pay/${accountId}/${transactionId}`;
}

/** A started payment in the form that the provider's adapter takes: to start it, and to lead the consumer to it. */
export function toPayment(
  services: Pick<Services, 'settings'>,
  account: Account,
  order: Pick<Order, 'orderId' | 'invoiceId' | 'details'>,
  { transactionId, provider, start }: Omit<StartedTransaction, 'type'>,
): PaymentToLaunch {
  const { orderId, invoiceId, details } = order;
  return {
    transactionId,
    orderId,
    invoiceId,
    amount: start.amount,
    currency: start.currency,
    modeCode: start.modeCode ?? 'upi',
    choice: start.subPaymentMode ?? {},
    ...(start.holdDays !== undefined && { isHeld: true }),
    description: details.description ?? `Order ${invoiceId}`,
    shopName: account.name,
    // The consumer returns to our page, which checks the result and redirects to the shop.
    callbackUrl: `${launchPageOf(services, account.accountId, transactionId)}/return`,
    webhookUrl: webhookUrlOf(services, provider, account.accountId),
  };
}
