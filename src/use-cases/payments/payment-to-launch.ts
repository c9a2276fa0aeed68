/** A started payment in the form that the provider's adapter takes: to start it, and to lead the consumer to it. */
import type { Account } from '../../domain/accounts/account.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Start } from '../../domain/payments/start.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { PaymentToLaunch } from '../../providers/outbound.ts';
import { webhookUrlOf } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import { launchPageOf } from './payment-reply.ts';

export function toPayment(
  services: Pick<Services, 'settings'>,
  account: Account,
  order: Pick<Order, 'orderId' | 'invoiceId' | 'details'>,
  started: {
    readonly transactionId: string;
    readonly provider: ProviderName;
    readonly start: Start;
  },
): PaymentToLaunch {
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
    // The consumer returns to our page, which checks the result and redirects to the shop.
    callbackUrl: `${launchPageOf(services, { accountId: account.accountId, transactionId })}/return`,
    webhookUrl: webhookUrlOf(services, provider, account.accountId),
  };
}
