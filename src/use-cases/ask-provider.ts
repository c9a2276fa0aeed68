/**
 * Asks a provider what became of a transaction that is not final: a webhook that was lost is made good,
 * and a call whose outcome nobody knows is resolved rather than guessed. Decision 11.7.
 */
import type { Account } from '../domain/account.ts';
import { failureReason } from '../domain/failure.ts';
import type { Order } from '../domain/order.ts';
import { isSettled, lateSuccessSeconds } from '../domain/settled.ts';
import type { CallNews } from '../domain/start.ts';
import { addSeconds } from '../domain/time.ts';
import { isFinal, type Transaction } from '../domain/transaction.ts';
import type { ProviderApi } from '../providers/call.ts';
import type { FetchedStatus, Outcome } from '../providers/outbound.ts';
import { getProvider } from '../providers/providers.ts';
import { claimAsk, claimAskOfEnquiry, type DueAsk, setNextAsk } from '../store/asks.ts';
import { findProviderApi } from './provider-apis.ts';
import { keepAnswers, recordCall } from './record-call.ts';
import { askForRefund } from './refund.ts';
import type { Services } from './services.ts';

/** How many times the shortest wait lies between one question and the next; the last one repeats. */
const askIntervals: readonly number[] = [1, 2, 5, 10, 30, 60, 180, 360];
/** Half an hour, for a refund that was not made yet. */
const owedIntervalMax = 30;
/** Some three weeks; an enquiry asks all the same. */
const asksMax = 90;

export async function askProvider(services: Services, due: DueAsk): Promise<void> {
  const { settings, database } = services;
  const now = services.clock();
  const claimed = await claimAsk(database, due, {
    now,
    askedBefore: addSeconds(now, -settings.askSeconds),
    intervalSeconds: askIntervals.map((times) => times * settings.askSeconds),
    asksMax,
  });
  if (claimed) await askAbout(services, due, claimed.orderId, claimed.nextAskAt);
}

/** At most once a minute, beside the background's own questions. */
export async function askOfEnquiry(services: Services, due: DueAsk): Promise<void> {
  const now = services.clock();
  const askedBefore = addSeconds(now, -services.settings.askSeconds);
  const orderId = await claimAskOfEnquiry(services.database, due, { now, askedBefore });
  if (orderId !== undefined) await askAbout(services, due, orderId);
}

async function askAbout(
  services: Services,
  due: DueAsk,
  orderId: string,
  nextAskAt?: Date | null,
): Promise<void> {
  const { accountId, transactionId } = due;
  const account = await services.accounts.find(accountId);
  const question = { accountId, idName: 'order_id', id: orderId } as const;
  const found = await services.batches.findOrderWithTransactions(question);
  const transaction = found?.transactions.find((entry) => entry.transactionId === transactionId);
  if (!account || !found || !transaction || isSettled(transaction)) return;
  const isTooLate = services.clock() > addSeconds(found.order.lapsesAt, lateSuccessSeconds);
  if (isFinal(transaction.status) && isTooLate) return setNextAsk(services.database, due, null);

  const { provider } = transaction;
  const at =
    nextAskAt === undefined ? undefined : await planNext(services, due, transaction, nextAskAt);
  if (at) services.asks.plan({ ...due, provider, at });
  const api = findProviderApi(services, account, provider);
  if (api) await ask(services, account, found.order, transaction, api);
}

/** A refund that the provider is not known to have is owed: it is asked for until it is made. */
async function planNext(
  { database, clock, settings }: Services,
  due: DueAsk,
  { type, start }: Transaction,
  planned: Date | null,
): Promise<Date | null> {
  const isOwed = type === 'refund' && start !== null && start.call !== 'taken';
  const soon = addSeconds(clock(), owedIntervalMax * settings.askSeconds);
  if (!isOwed || (planned !== null && planned <= soon)) return planned;
  await setNextAsk(database, due, soon);
  return soon;
}

async function ask(
  services: Services,
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
  await recordCall(services, {
    accountId,
    orderId,
    transactionId,
    provider,
    operation: 'fetch-status',
    answer,
    outcome: result.kind,
    news: newsOf(result, transaction, order, services.clock()),
  });
  if (result.kind !== 'done') return;
  await keepAnswers(services, account, provider, result.records);
  const { start } = transaction;
  if (result.isKnown || transaction.type !== 'refund' || !start?.refund) return;
  // The provider has never heard of it: our call did not reach it, so it is made again, with the same id.
  await askForRefund(services, account, orderId, api, provider, {
    transactionId,
    refundRequestId: start.refund.requestId,
    paymentPspId: start.refund.paymentPspId,
    amount: start.amount,
    currency: start.currency,
  });
}

/** What the answer says of our own call. A payment that the provider never had, or that nobody came to pay, is over. */
function newsOf(
  result: Outcome<FetchedStatus>['result'],
  { type, start }: Transaction,
  order: Order,
  now: Date,
): CallNews | undefined {
  if (result.kind !== 'done' || !start) return undefined;
  const { isKnown, providerOrderId, wasTried } = result;
  if (type === 'refund') return isKnown ? { call: 'taken' } : undefined;
  const wasTaken = start.call === 'taken' || isKnown;
  const isOver = !wasTried && now >= order.lapsesAt;
  if (wasTaken && !isOver) return { call: 'taken', providerOrderId };
  const why = wasTaken ? 'nobody came to pay' : 'the provider never received it';
  const failure = failureReason('PAYMENT_TIMED_OUT', `The payment came to nothing: ${why}.`);
  return { call: 'refused', failure, atMs: now.getTime(), ...(isOver && { isOver: true }) };
}
