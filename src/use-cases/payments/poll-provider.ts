/**
 * Polls a provider for the status of a pending transaction. This makes up for lost webhooks and settles calls whose
 * result is not known. Contract 11.7.
 */
import type { Account } from '../../domain/accounts/account.ts';
import { uncapturedAtMs } from '../../domain/order-state/settle.ts';
import type { Order } from '../../domain/orders/order.ts';
import { failureReason } from '../../domain/payments/failure.ts';
import {
  hasPendingOperation,
  hasUnknownRefunds,
  lateSuccessSeconds,
  needsPolling,
} from '../../domain/payments/needs-polling.ts';
import type { CallResult } from '../../domain/payments/start.ts';
import { isFinal, type Transaction } from '../../domain/payments/transaction.ts';
import { addSeconds } from '../../domain/time.ts';
import type { ProviderApi } from '../../providers/call.ts';
import type { FetchedStatus, Outcome, RefundToStart } from '../../providers/outbound.ts';
import { getProvider } from '../../providers/providers.ts';
import { findProviderApi } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import {
  type ClaimedPoll,
  claimPollOfEnquiry,
  type DuePoll,
  setNextPoll,
} from '../../store/payments/polls.ts';
import { settleOrder } from '../order-state/save-order-state.ts';
import { resendOperations } from './operation-calls.ts';
import { recordPoll, storeAnswers } from './record-calls.ts';
import { pspIdsOf, refundCallsOf, resendRefund } from './refund-calls.ts';

/** For a refund that the provider has not confirmed: half an hour at the default interval. */
const unconfirmedRefundIntervalMax = 30;

/** False if the provider gave no usable answer. */
export async function pollClaimed(services: Services, claimed: ClaimedPoll) {
  const result = await pollTransaction(services, claimed, claimed.orderId, claimed.nextPollAt);
  return result === undefined || result.kind === 'done' || result.kind === 'refused';
}

type PollResult = Outcome<FetchedStatus>['result'];

/**
 * In addition to the scheduled polls. Callers in all processes share one poll within these seconds, and nobody waits for
 * it: a slow provider must not delay the reply.
 */
export function pollAtMostEvery(services: Services, due: DuePoll, seconds: number): void {
  const poll = async () => {
    const now = services.clock();
    const polledBefore = addSeconds(now, -seconds);
    const orderId = await claimPollOfEnquiry(services.database, due, { now, polledBefore });
    if (orderId !== undefined) await pollTransaction(services, due, orderId);
  };
  const { transactionId } = due;
  poll().catch((error: unknown) => services.reportDefect(error, { transactionId }));
}

/** Polls now, whenever it was polled before. Undefined if there is nothing to poll. */
export async function pollTransaction(
  services: Services,
  due: DuePoll,
  orderId: string,
  nextPollAt?: Date | null,
): Promise<PollResult | undefined> {
  const { accountId, transactionId } = due;
  const account = await services.accounts.find(accountId);
  const question = { accountId, idName: 'order_id', id: orderId } as const;
  const found = await services.batches.findOrderWithTransactions(question);
  const transaction = found?.transactions.find((entry) => entry.transactionId === transactionId);
  if (!account || !found || !transaction || !needsPolling(transaction)) return undefined;
  const now = services.clock();
  const isTooLate = now > addSeconds(found.order.lapsesAt, lateSuccessSeconds);
  if (isFinal(transaction.status) && isTooLate && !hasUnknownRefunds(transaction)) {
    await setNextPoll(services.database, due, null);
    return undefined;
  }
  // The flag depends on time only, so it is saved even if the provider cannot be polled.
  const dueAt = flaggedAt(transaction);
  const isUncaptured =
    dueAt !== null && dueAt <= now && !transaction.flags.includes('not_captured');
  if (isUncaptured) await settleOrder(services, accountId, orderId);
  if (nextPollAt !== undefined) await bringForward(services, due, transaction, nextPollAt);
  const api = findProviderApi(services, account, transaction.provider);
  return api ? fetchAndApply(services, account, found.order, transaction, api) : undefined;
}

/** Polls sooner than scheduled if a refund is not confirmed, or if a payment is due to be flagged before. */
async function bringForward(
  { database, clock, settings }: Pick<Services, 'database' | 'clock' | 'settings'>,
  due: DuePoll,
  transaction: Transaction,
  scheduled: Date | null,
): Promise<void> {
  const now = clock();
  const { type, start } = transaction;
  // Such a refund is sent again until the provider confirms it.
  const isUnconfirmedRefund = type === 'refund' && start !== null && start.call !== 'taken';
  const wanted = isUnconfirmedRefund
    ? addSeconds(now, unconfirmedRefundIntervalMax * settings.pollSeconds)
    : flaggedAt(transaction);
  const isSooner = wanted !== null && wanted > now && (scheduled === null || wanted < scheduled);
  if (isSooner) await setNextPoll(database, due, wanted);
}

/** When an authorisation without a capture is due to be flagged. Contract 4.8. */
function flaggedAt(transaction: Transaction): Date | null {
  const dueAtMs = transaction.type === 'payment' ? uncapturedAtMs(transaction) : null;
  return dueAtMs === null ? null : new Date(dueAtMs);
}

async function fetchAndApply(
  services: Services,
  account: Account,
  order: Order,
  transaction: Transaction,
  api: ProviderApi,
): Promise<PollResult> {
  const { accountId } = account;
  const { orderId } = order;
  const { transactionId, provider } = transaction;
  const { outbound } = getProvider(provider);
  const now = services.clock();
  const { answer, result } = await outbound.fetchStatus(api, { orderId, transaction, now });
  const { start } = transaction;
  const calls = start?.refund ? refundCallsOf(transactionId, start) : [];
  const isKnownCall = ({ callId }: RefundToStart) =>
    result.kind === 'done' && (result.knownCallIds?.includes(callId) ?? result.isKnown);
  await recordPoll(services, {
    accountId,
    orderId,
    transactionId,
    provider,
    operation: 'fetch-status',
    answer,
    outcome: result.kind,
    callResult: callResultOf(result, transaction, order, services.clock()),
    partPspIds: start?.refund && pspIdsOf(provider, calls.filter(isKnownCall)),
  });
  if (result.kind !== 'done') return result;
  await storeAnswers(services, account, provider, result.records);
  if (hasPendingOperation(transaction)) {
    const route = { account, orderId, provider, api };
    await resendOperations(services, route, transactionId, result.knownCallIds);
  }
  // The list may lag, so a call that it does not show is repeated with the same id.
  for (const call of calls.filter((each) => !isKnownCall(each))) {
    await resendRefund(services, { account, orderId, provider, api }, call);
  }
  return result;
}

/**
 * What the status says about our call. A list that does not show the payment proves nothing (contract 4.16). A payment
 * that nobody tried to make until the order lapsed has failed.
 */
function callResultOf(
  result: PollResult,
  { type, start }: Transaction,
  order: Order,
  now: Date,
): CallResult | undefined {
  if (result.kind !== 'done' || !start) return undefined;
  const { isKnown, providerOrderId, wasTried } = result;
  if (type === 'refund') return isKnown ? { call: 'taken' } : undefined;
  const wasTaken = start.call === 'taken' || start.isOver === true || isKnown;
  const isOver = !wasTried && now >= order.lapsesAt;
  if (!isOver) return wasTaken ? { call: 'taken', providerOrderId } : undefined;
  const why = wasTaken ? 'nobody came to pay' : 'the provider does not know it';
  const failure = failureReason('PAYMENT_TIMED_OUT', `The payment came to nothing: ${why}.`);
  return { call: 'refused', failure, atMs: now.getTime(), isOver: true };
}
