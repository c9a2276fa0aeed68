/** Finds how a consumer gets from our launch page to the provider's payment page: by a form or by an address. */
import { isAccountId, isTransactionId } from '../../domain/ids.ts';
import { paymentsOf } from '../../domain/order-state/matching.ts';
import { decideReturn } from '../../domain/order-state/payment-return.ts';
import { settleTransactions } from '../../domain/order-state/settle.ts';
import { callbackOf } from '../../domain/orders/callback.ts';
import { isOpen, type OrderStatus, orderStatus } from '../../domain/orders/order.ts';
import { isReserved } from '../../domain/payments/hold.ts';
import type { Payment } from '../../domain/payments/transaction.ts';
import { getProvider } from '../../providers/providers.ts';
import { findProviderApi } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import { hasPaymentPage, toPayment } from '../payments/payment-reply.ts';

export type Launch = Awaited<ReturnType<typeof findLaunch>>;

const unknown = { kind: 'unknown' } as const;

/** No token is needed: anybody with the URL may pay. Its ids are random, and the page shows no consumer data. */
export async function findLaunch(
  services: Pick<Services, 'batches' | 'accounts' | 'callProvider' | 'clock' | 'settings'>,
  accountId: string,
  transactionId: string,
) {
  const found = await findStarted(services, accountId, transactionId);
  if (!found || !hasPaymentPage(found.payment)) return unknown;
  const { now, account, order, transactions, payment, start } = found;
  const status = orderStatus(order, now);
  if (!isPayable(payment, status)) {
    // The payment is final or the order is closed, so there is nothing to pay.
    const result = decideReturn(payment, transactions, status, false);
    const hasShop = callbackOf(order.details, start) !== undefined;
    const shown = isReserved(result.payment) ? ('reserved' as const) : result.status;
    return { kind: 'over' as const, account, hasShop, status: shown };
  }
  const { redirectUrl: url, providerOrderId } = start;
  if (url !== undefined) return { kind: 'address' as const, url, account };
  const { provider } = payment;
  const { launchForm } = getProvider(provider).outbound;
  const api = findProviderApi(services, account, provider);
  if (!launchForm || !api || providerOrderId === undefined) return unknown;
  const toStart = toPayment(services, account, order, { transactionId, provider, start });
  const form = launchForm(api, { ...toStart, providerOrderId });
  return { kind: 'form' as const, form, account };
}

/** A payment that was started here, by the ids of a URL. */
export async function findStarted(
  services: Pick<Services, 'batches' | 'accounts' | 'clock'>,
  accountId: string,
  transactionId: string,
) {
  const isName = isAccountId(accountId) && isTransactionId(transactionId);
  const account = isName ? await services.accounts.find(accountId) : undefined;
  if (!account) return undefined;
  const question = { accountId, idName: 'transaction_id', id: transactionId } as const;
  const found = await services.batches.findOrderWithTransactions(question);
  const now = services.clock();
  const transactions = found ? settleTransactions(found, now) : [];
  const payment = paymentsOf(transactions).find((entry) => entry.transactionId === transactionId);
  if (!found || !payment?.start) return undefined;
  return { now, account, order: found.order, transactions, payment, start: payment.start };
}

/** A failed payment may be retried at the provider while the order is open. */
export function isPayable({ status }: Payment, orderStatus: OrderStatus): boolean {
  return (status === 'pending' || status === 'failed') && isOpen(orderStatus);
}
