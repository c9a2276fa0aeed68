/**
 * An enquiry about a pending transaction polls its provider, at most once per poll interval. The reply does not wait
 * for the poll: a slow provider must not delay it. Contract 11.7.
 */
import type { Account } from '../../domain/accounts/account.ts';
import { needsPolling } from '../../domain/payments/needs-polling.ts';
import { addSeconds } from '../../domain/time.ts';
import { findProviderApi } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import type { OrderWithTransactions } from '../../store/orders/enquiry.ts';
import { pollOfEnquiry } from './poll-provider.ts';

export function pollOnEnquiry(
  services: Services,
  account: Account,
  { transactions, polledAt }: OrderWithTransactions,
): void {
  const { accountId } = account;
  const before = addSeconds(services.clock(), -services.settings.pollSeconds);
  for (const transaction of transactions) {
    const { transactionId, provider, startedAtMs, recordedAtMs } = transaction;
    const since = startedAtMs ?? recordedAtMs;
    if (!needsPolling(transaction) || (since !== null && since > before.getTime())) continue;
    if ((polledAt.get(transactionId) ?? before) > before) continue;
    if (!findProviderApi(services, account, provider)) continue;
    pollOfEnquiry(services, { accountId, transactionId }).catch((error: unknown) =>
      services.reportDefect(error, { transactionId }),
    );
  }
}
