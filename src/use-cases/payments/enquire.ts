/** Reads the current status of an order and of its transactions, and polls what is pending. Contract 5. */
import { type Account, accessSecretOf } from '../../domain/accounts/account.ts';
import { settleTransactions } from '../../domain/order-state/settle.ts';
import { needsPolling } from '../../domain/payments/needs-polling.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Caller } from '../../security/tokens.ts';
import { enquiryOf } from '../../services/enquiry.ts';
import { findProviderApi } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import type { OrderWithTransactions } from '../../store/orders/enquiry.ts';
import { type EnquiredIds, getNamedOrder } from '../orders/get-named-order.ts';
import { pollAtMostEvery } from './poll-provider.ts';

/** Chooses the transactions of the reply. They come oldest first. */
type Selection = (all: readonly Transaction[], ids: EnquiredIds) => readonly Transaction[];

export async function enquire(
  services: Services,
  caller: Caller,
  ids: EnquiredIds,
  select: Selection = selectNamed,
) {
  const account = await services.accounts.get(caller.accountId);
  const found = await getNamedOrder(services, caller, ids);
  // The order may have lapsed since it was stored. The sweep saves that within a minute.
  const transactions = settleTransactions(found, services.clock());
  pollOnEnquiry(services, account, found);
  const requested = select(transactions.toSorted(byStart), ids);
  // During a rotation, signs with the secret that the caller used: it may not have the other one.
  const mark = caller.type === 'merchant' ? caller.secretMark : undefined;
  const accessSecret = accessSecretOf(account, services.clock(), mark);
  const signing = { account, accessSecret, signs: 'final statuses' } as const;
  return enquiryOf(found.order, transactions, requested, signing);
}

/** Contract 5.2. */
function selectNamed(transactions: readonly Transaction[], { transactionId }: EnquiredIds) {
  return transactions.filter(
    (entry) => transactionId === undefined || entry.transactionId === transactionId,
  );
}

/** Contract 5.2. Several payments of one provider's order may have the same start time. */
function byStart(a: Transaction, b: Transaction) {
  return (
    (a.startedAtMs ?? 0) - (b.startedAtMs ?? 0) ||
    (a.recordedAtMs ?? 0) - (b.recordedAtMs ?? 0) ||
    ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1)
  );
}

/** An enquiry about a pending transaction polls its provider, at most once per poll interval. Contract 11.7. */
function pollOnEnquiry(
  services: Services,
  account: Account,
  { transactions, polledAt }: OrderWithTransactions,
): void {
  const { accountId } = account;
  const { pollSeconds } = services.settings;
  const before = addSeconds(services.clock(), -pollSeconds);
  for (const transaction of transactions) {
    const { transactionId, provider, startedAtMs, recordedAtMs } = transaction;
    const since = startedAtMs ?? recordedAtMs;
    if (!needsPolling(transaction) || (since !== null && since > before.getTime())) continue;
    if ((polledAt.get(transactionId) ?? before) > before) continue;
    if (!findProviderApi(services, account, provider)) continue;
    pollAtMostEvery(services, { accountId, transactionId }, pollSeconds);
  }
}
