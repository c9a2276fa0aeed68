/** Builds the form that sends a consumer from our launch page to the provider's payment page. */
import { isAccountId, isTransactionId } from '../../domain/ids.ts';
import { callbackOf } from '../../domain/orders/callback.ts';
import { isOpen, orderStatus } from '../../domain/orders/order.ts';
import type { Clock } from '../../domain/time.ts';
import { paymentsOf } from '../../domain/transactions/matching.ts';
import type { LaunchForm } from '../../providers/outbound.ts';
import { getProvider } from '../../providers/providers.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { findProviderApi } from '../../services/provider-apis.ts';
import type { Batches } from '../../store/batches.ts';
import { toPayment } from './start-payment.ts';

type Needs = NeedsOf<typeof findProviderApi> &
  NeedsOf<typeof toPayment> & {
    readonly batches: Batches;
    readonly accounts: AccountDirectory;
    readonly clock: Clock;
  };

export type Launch =
  | { readonly kind: 'form'; readonly form: LaunchForm; readonly shopName: string }
  /** The payment is final or the order is closed, so there is nothing to pay. */
  | { readonly kind: 'over'; readonly hasShop: boolean }
  | { readonly kind: 'unknown' };

/** No token is needed: anybody with the URL may pay. Its ids are random, and the page shows no consumer data. */
export async function findLaunch(
  services: Needs,
  accountId: string,
  transactionId: string,
): Promise<Launch> {
  const isName = isAccountId(accountId) && isTransactionId(transactionId);
  const account = isName ? await services.accounts.find(accountId) : undefined;
  if (!account) return { kind: 'unknown' };
  const question = { accountId, idName: 'transaction_id', id: transactionId } as const;
  const found = await services.batches.findOrderWithTransactions(question);
  const payment = paymentsOf(found?.transactions ?? []).find(
    (entry) => entry.transactionId === transactionId,
  );
  const start = payment?.start;
  if (!found || !payment || !start) return { kind: 'unknown' };
  const { provider } = payment;
  const { launchForm } = getProvider(provider).outbound;
  const api = findProviderApi(services, account, provider);
  const { providerOrderId } = start;
  if (!launchForm || !api || providerOrderId === undefined) return { kind: 'unknown' };
  // A failed payment may be retried at the provider while the order is open.
  const isPayable = payment.status === 'pending' || payment.status === 'failed';
  if (!isPayable || !isOpen(orderStatus(found.order, services.clock()))) {
    return { kind: 'over', hasShop: callbackOf(found.order.details, start) !== undefined };
  }
  const toStart = toPayment(services, account, found.order, { transactionId, provider, start });
  const form = launchForm(api, { ...toStart, providerOrderId });
  return { kind: 'form', form, shopName: account.name };
}
