/**
 * What a consumer who comes back from a provider is to see, and what the shop is to learn. The browser is believed
 * nothing: the result is the stored state, and the provider is polled while that is not final. Contract 11.10.
 */
import { type Account, liveSecrets } from '../../domain/accounts/account.ts';
import { isAccountId, isTransactionId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { type Callback, callbackOf } from '../../domain/orders/callback.ts';
import { orderStatus } from '../../domain/orders/order.ts';
import type { Clock } from '../../domain/time.ts';
import { paymentsOf } from '../../domain/transactions/matching.ts';
import { decideReturn, type ReturnStatus } from '../../domain/transactions/payment-return.ts';
import { settleTransactions } from '../../domain/transactions/settle.ts';
import type { Start } from '../../domain/transactions/start.ts';
import { providers } from '../../providers/providers.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import type { NeedsOf } from '../../services/needs.ts';
import type { ReportDefect, ServiceSettings } from '../../services/services.ts';
import type { Batches } from '../../store/batches.ts';
import { type Enquiry, enquiryOf } from './enquire.ts';
import { pollAtMostEvery } from './poll-provider.ts';

type Needs = NeedsOf<typeof pollAtMostEvery> & {
  readonly batches: Batches;
  readonly accounts: AccountDirectory;
  readonly clock: Clock;
  readonly settings: Pick<ServiceSettings, 'pollSeconds'>;
  readonly reportDefect: ReportDefect;
};

export type FoundReturn =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting'; readonly untilMs: number }
  | {
      readonly kind: 'known';
      readonly status: ReturnStatus;
      /** The order with the one payment that the status is about. */
      readonly enquiry: Enquiry;
      readonly callback: Callback | undefined;
      readonly callbackOrigins: readonly string[];
    };

export type ReturnHints = {
  /** When the wait of this return ends, as an earlier page said. */
  readonly untilMs: number | undefined;
  readonly saysPaid: boolean;
};

/** Whoever has the address may look; its ids are random, and it shows no more than an order token does. */
export async function findReturn(
  services: Needs,
  accountId: string,
  transactionId: string,
  hints: ReturnHints,
): Promise<FoundReturn> {
  const isName = isAccountId(accountId) && isTransactionId(transactionId);
  const account = isName ? await services.accounts.find(accountId) : undefined;
  if (!account) return { kind: 'unknown' };
  const question = { accountId, idName: 'transaction_id', id: transactionId } as const;
  const found = await services.batches.findOrderWithTransactions(question);
  const now = services.clock();
  const transactions = found ? settleTransactions(found, now) : [];
  const started = paymentsOf(transactions).find((entry) => entry.transactionId === transactionId);
  if (!found || !started?.start) return { kind: 'unknown' };
  const { order } = found;

  const result = decideReturn(started, transactions, orderStatus(order, now), hints.saysPaid);
  const untilMs = untilOf(hints, now);
  if (!result.isKnown && now.getTime() < untilMs) {
    poll(services, account, transactionId, started.start, now);
    return { kind: 'waiting', untilMs };
  }
  const [accessSecret = ''] = liveSecrets(account, 'access-secret', now);
  const signing = { account, accessSecret, signs: 'what v3 covers' } as const;
  return {
    kind: 'known',
    status: result.status,
    enquiry: enquiryOf(order, transactions, [result.payment], signing),
    callback: callbackOf(order.details, started.start),
    callbackOrigins: account.callbackOrigins,
  };
}

/** Fields that a provider's page sends along with a consumer who has paid. */
export function listPaidFields(): string[] {
  return providers.flatMap(({ outbound }) => outbound.paidField ?? []);
}

/** The end travels in the address, so it outlives this process. Nobody can put it further away than it is at first. */
function untilOf({ untilMs }: ReturnHints, now: Date): number {
  const latestMs = now.getTime() + limits.returnWaitSeconds * 1000;
  return untilMs !== undefined && untilMs <= latestMs ? untilMs : latestMs;
}

/**
 * Not waited for: a provider that hangs must not make us hang, and the page looks again in a second. All who look share
 * one poll. A page that somebody loads over and over, long after, has the provider polled no more than an enquiry does.
 */
function poll(
  services: Needs,
  { accountId }: Account,
  transactionId: string,
  { atMs }: Start,
  now: Date,
): void {
  const isRecent = now.getTime() - atMs < limits.returnPollsOftenSeconds * 1000;
  const { pollSeconds } = services.settings;
  const seconds = isRecent ? Math.min(limits.returnPollSeconds, pollSeconds) : pollSeconds;
  pollAtMostEvery(services, { accountId, transactionId }, seconds).catch((error: unknown) =>
    services.reportDefect(error, { transactionId }),
  );
}
