/**
 * An enquiry about something that is not final has its provider asked, at most once a minute. The answer
 * to the enquiry does not wait for it: a provider that hangs must not make us hang. Decision 11.7.
 */
import type { Account } from '../domain/account.ts';
import { isSettled } from '../domain/settled.ts';
import { addSeconds } from '../domain/time.ts';
import type { OrderWithTransactions } from '../store/enquiry.ts';
import { askOfEnquiry } from './ask-provider.ts';
import { findProviderApi } from './provider-apis.ts';
import type { Services } from './services.ts';

export function askOnEnquiry(
  services: Services,
  account: Account,
  { transactions, askedAt }: OrderWithTransactions,
): void {
  const { accountId } = account;
  const before = addSeconds(services.clock(), -services.settings.askSeconds);
  for (const transaction of transactions) {
    const { transactionId, provider, startedAtMs, recordedAtMs } = transaction;
    const since = startedAtMs ?? recordedAtMs;
    if (isSettled(transaction) || (since !== null && since > before.getTime())) continue;
    if ((askedAt.get(transactionId) ?? before) > before) continue;
    if (!findProviderApi(services, account, provider)) continue;
    askOfEnquiry(services, { accountId, transactionId }).catch((error: unknown) =>
      services.reportDefect(error, { transactionId }),
    );
  }
}
