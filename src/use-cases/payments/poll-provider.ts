/**
 * Asks a provider what became of a transaction that is not final: a webhook that was lost is made good,
 * and a call whose outcome nobody knows is resolved rather than guessed. Contract 11.7.
 */
import type { Account } from '../../domain/accounts/account.ts';
import type { Order } from '../../domain/orders/order.ts';
import { addSeconds, type Clock } from '../../domain/time.ts';
import { failureReason } from '../../domain/transactions/failure.ts';
import { lateSuccessSeconds, needsPolling } from '../../domain/transactions/needs-polling.ts';
import { uncapturedAtMs } from '../../domain/transactions/settle.ts';
import type { CallResult } from '../../domain/transactions/start.ts';
import { isFinal, type Transaction } from '../../domain/transactions/transaction.ts';
import type { Database } from '../../postgres/database.ts';
import type { ProviderApi } from '../../providers/call.ts';
import type { FetchedStatus, Outcome, RefundToStart } from '../../providers/outbound.ts';
import { getProvider } from '../../providers/providers.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import type { JobSignals, Poll } from '../../services/job-signals.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { findProviderApi } from '../../services/provider-apis.ts';
import type { ServiceSettings } from '../../services/services.ts';
import type { Batches } from '../../store/batches.ts';
import { claimPoll, claimPollOfEnquiry, type DuePoll, setNextPoll } from '../../store/polls.ts';
import { settleOrder } from '../order-state/settle-order.ts';
import { recordCall, storeAnswers } from './record-call.ts';
import { pspIdsOf, refundCallsOf, requestRefund } from './refund-calls.ts';

type Needs = NeedsOf<typeof findProviderApi> &
  NeedsOf<typeof settleOrder> &
  NeedsOf<typeof recordCall> &
  NeedsOf<typeof storeAnswers> &
  NeedsOf<typeof requestRefund> & {
    readonly database: Database;
    readonly batches: Batches;
    readonly accounts: AccountDirectory;
    readonly polls: JobSignals<Poll>;
    readonly clock: Clock;
    readonly settings: Pick<ServiceSettings, 'pollSeconds'>;
  };

/** How many times the shortest wait lies between one question and the next; the last one repeats. */
const pollIntervals: readonly number[] = [1, 2, 5, 10, 30, 60, 180, 360];
/** Half an hour, for a refund that was not made yet. */
const owedIntervalMax = 30;
/** Some three weeks; an enquiry asks all the same. */
const pollsMax = 90;

export async function pollProvider(services: Needs, due: DuePoll): Promise<void> {
  const { settings, database } = services;
  const now = services.clock();
  const claimed = await claimPoll(database, due, {
    now,
    polledBefore: addSeconds(now, -settings.pollSeconds),
    intervalSeconds: pollIntervals.map((times) => times * settings.pollSeconds),
    pollsMax,
  });
  if (claimed) await pollAbout(services, due, claimed.orderId, claimed.nextPollAt);
}

/** At most once a minute, beside the background's own questions. */
export async function pollOfEnquiry(services: Needs, due: DuePoll): Promise<void> {
  await pollAtMostEvery(services, due, services.settings.pollSeconds);
}

/** Of all who would poll within these seconds, in every process, one does. */
export async function pollAtMostEvery(
  services: Needs,
  due: DuePoll,
  seconds: number,
): Promise<void> {
  const now = services.clock();
  const polledBefore = addSeconds(now, -seconds);
  const orderId = await claimPollOfEnquiry(services.database, due, { now, polledBefore });
  if (orderId !== undefined) await pollAbout(services, due, orderId);
}

async function pollAbout(
  services: Needs,
  due: DuePoll,
  orderId: string,
  nextPollAt?: Date | null,
): Promise<void> {
  const { accountId, transactionId } = due;
  const account = await services.accounts.find(accountId);
  const question = { accountId, idName: 'order_id', id: orderId } as const;
  const found = await services.batches.findOrderWithTransactions(question);
  const transaction = found?.transactions.find((entry) => entry.transactionId === transactionId);
  if (!account || !found || !transaction || !needsPolling(transaction)) return;
  const now = services.clock();
  const isTooLate = now > addSeconds(found.order.lapsesAt, lateSuccessSeconds);
  if (isFinal(transaction.status) && isTooLate) return setNextPoll(services.database, due, null);
  // Whether the provider can be polled or not, what time has changed is written down.
  if (isUncaptured(transaction, now)) await settleOrder(services, accountId, orderId);

  const { provider } = transaction;
  const at =
    nextPollAt === undefined ? undefined : await planNext(services, due, transaction, nextPollAt);
  if (at) services.polls.plan({ ...due, provider, at });
  const api = findProviderApi(services, account, provider);
  if (api) await ask(services, account, found.order, transaction, api);
}

/** A refund that the provider is not known to have is owed: it is sent again until it is made. */
async function planNext(
  { database, clock, settings }: Needs,
  due: DuePoll,
  transaction: Transaction,
  planned: Date | null,
): Promise<Date | null> {
  const now = clock();
  const wanted = isOwed(transaction)
    ? addSeconds(now, owedIntervalMax * settings.pollSeconds)
    : flaggedAt(transaction);
  const isSooner = wanted !== null && wanted > now && (planned === null || wanted < planned);
  if (!isSooner) return planned;
  await setNextPoll(database, due, wanted);
  return wanted;
}

function isOwed({ type, start }: Transaction): boolean {
  return type === 'refund' && start !== null && start.call !== 'taken';
}

/** Contract 4.8: an authorisation is looked at again when it is due to be flagged. */
function flaggedAt(transaction: Transaction): Date | null {
  const dueAtMs = transaction.type === 'payment' ? uncapturedAtMs(transaction) : null;
  return dueAtMs === null ? null : new Date(dueAtMs);
}

function isUncaptured(transaction: Transaction, now: Date): boolean {
  const dueAt = flaggedAt(transaction);
  return dueAt !== null && dueAt <= now && !transaction.flags.includes('not_captured');
}

async function ask(
  services: Needs,
  account: Account,
  order: Order,
  transaction: Transaction,
  api: ProviderApi,
): Promise<void> {
  const { accountId } = account;
  const { orderId } = order;
  const { transactionId, provider } = transaction;
  const { outbound } = getProvider(provider);
  const { answer, result } = await outbound.fetchStatus(api, { orderId, transaction });
  const { start } = transaction;
  const calls = start?.refund ? refundCallsOf(transactionId, start) : [];
  const isKnownCall = ({ callId }: RefundToStart) =>
    result.kind === 'done' && (result.knownCallIds?.includes(callId) ?? result.isKnown);
  await recordCall(services, {
    accountId,
    orderId,
    transactionId,
    provider,
    operation: 'fetch-status',
    answer,
    outcome: result.kind,
    news: newsOf(result, transaction, order, services.clock()),
    partPspIds: start?.refund && pspIdsOf(provider, calls.filter(isKnownCall)),
  });
  if (result.kind !== 'done') return;
  await storeAnswers(services, account, provider, result.records);
  // A call that the provider does not know did not reach it, so it is made again, with the same id.
  for (const call of calls) {
    if (!isKnownCall(call)) {
      await requestRefund(services, account, orderId, api, provider, call);
    }
  }
}

/** What the answer says of our own call. A payment that the provider never had, or that nobody came to pay, is over. */
function newsOf(
  result: Outcome<FetchedStatus>['result'],
  { type, start }: Transaction,
  order: Order,
  now: Date,
): CallResult | undefined {
  if (result.kind !== 'done' || !start) return undefined;
  const { isKnown, providerOrderId, wasTried } = result;
  if (type === 'refund') return isKnown ? { call: 'taken' } : undefined;
  const wasTaken = start.call === 'taken' || start.isOver === true || isKnown;
  const isOver = !wasTried && now >= order.lapsesAt;
  if (wasTaken && !isOver) return { call: 'taken', providerOrderId };
  const why = wasTaken ? 'nobody came to pay' : 'the provider never received it';
  const failure = failureReason('PAYMENT_TIMED_OUT', `The payment came to nothing: ${why}.`);
  return { call: 'refused', failure, atMs: now.getTime(), ...(isOver && { isOver: true }) };
}
