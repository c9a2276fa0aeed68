/**
 * Writes down what a call to a provider came to: in the history, and in what was started by it. What the
 * provider answered in the shape of its deliveries is kept and applied like one.
 */
import type { Account } from '../../domain/accounts/account.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { addSeconds, type Clock } from '../../domain/time.ts';
import { type FailureCode, failureReason } from '../../domain/transactions/failure.ts';
import { applyStart } from '../../domain/transactions/order-state.ts';
import { settle } from '../../domain/transactions/settle.ts';
import {
  addCallResult,
  addPartResult,
  type CallResult,
  type Start,
} from '../../domain/transactions/start.ts';
import type { Database, Transaction } from '../../postgres/database.ts';
import type { Answer } from '../../providers/call.ts';
import type { Outcome, Records } from '../../providers/outbound.ts';
import type { Counters } from '../../services/counters.ts';
import type { NeedsOf } from '../../services/needs.ts';
import type { ServiceSettings } from '../../services/services.ts';
import type { Warnings } from '../../services/warnings.ts';
import type { CallRecord } from '../../store/history.ts';
import { learnProviderOrder } from '../../store/order-matching.ts';
import { digestOf, newDelivery } from '../inbox/new-delivery.ts';
import { storeDelivery } from '../inbox/store-delivery.ts';
import { tryTranslate } from '../inbox/translate-delivery.ts';
import { unparkDeliveries } from '../inbox/unpark-deliveries.ts';
import { lockOrderState } from '../order-state/lock-order-state.ts';
import { saveOrderState } from '../order-state/save-order-state.ts';

type Needs = NeedsOf<typeof newDelivery> &
  NeedsOf<typeof storeDelivery> &
  NeedsOf<typeof unparkDeliveries> & {
    readonly database: Database;
    readonly counters: Counters;
    readonly warnings: Warnings;
    readonly clock: Clock;
    readonly settings: Pick<ServiceSettings, 'pollSeconds'>;
  };

export type Called = {
  readonly accountId: string;
  readonly orderId: string;
  readonly transactionId: string;
  readonly provider: ProviderName;
  readonly operation: 'start-payment' | 'start-refund' | 'fetch-status';
  readonly answer: Answer;
  readonly outcome: string;
  readonly news?: CallResult | undefined;
  /** The provider's ids of the parts of a refund that the news is about. */
  readonly partPspIds?: readonly string[] | undefined;
};

/** `also` is written with it, or not at all. */
export async function recordCall(
  services: Needs,
  called: Called,
  also?: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const { accountId, orderId, transactionId, news } = called;
  services.counters.noteCall(called);
  warnOfFailure(services, called);
  const names = await services.database.transaction(async (tx) => {
    const now = services.clock();
    const before = await lockOrderState(tx, accountId, orderId);
    await also?.(tx);
    const known = before.transactions.find((entry) => entry.transactionId === transactionId);
    // It turned out to be another one meanwhile, and that one is asked for by itself.
    if (!known) return [];
    const after =
      news && known.start
        ? applyStart(before, { ...known, start: addResult(known.start, news, called) })
        : before;
    const providerOrderId = news?.call === 'taken' ? news.providerOrderId : undefined;
    if (providerOrderId !== undefined) {
      const { provider } = known;
      await learnProviderOrder(tx, { accountId, provider, providerOrderId, orderId });
    }
    await saveOrderState(tx, before, settle(after, now), {
      now,
      pollAt: addSeconds(now, services.settings.pollSeconds),
      cause: called.operation,
      call: { ...callRecordOf(called), transactionId },
    });
    return providerOrderId === undefined ? [] : [providerOrderId];
  });
  // Webhooks may have been faster than the answer and wait for the name it brought.
  await unparkDeliveries(services, accountId, names).catch(() => undefined);
}

/** A clear no about one payment is the merchant's matter; keys that are refused are the operator's. */
function warnOfFailure({ warnings }: Needs, called: Called): void {
  const { accountId, provider, operation, outcome } = called;
  const reason = outcome === 'done' ? undefined : findReason(called);
  if (reason !== undefined)
    warnings.failedCall({ accountId, provider, operation, outcome, reason });
}

/** In our own words: those of the provider may quote what it was sent. */
function findReason({ answer, outcome }: Called): string | undefined {
  if (answer.kind !== 'answered') return answer.why;
  const { status } = answer;
  if (status === 401 || status === 403)
    return `the provider refused the account's keys with HTTP status ${status}`;
  return outcome === 'unknown'
    ? `the provider answered something we do not understand, with HTTP status ${status}`
    : undefined;
}

/** Only a clear no is a failure: a provider that did not answer may have it, and is asked later. */
export function newsOfStart(
  result: Outcome<{ readonly providerOrderId?: string }>['result'],
  refused: { readonly what: string; readonly code: FailureCode },
  now: Date,
): CallResult {
  switch (result.kind) {
    case 'done':
      return { call: 'taken', providerOrderId: result.providerOrderId };
    case 'refused': {
      const words = `The provider refused ${refused.what}: ${result.why}.`;
      const failure = failureReason(refused.code, words);
      return { call: 'refused', failure, atMs: now.getTime() };
    }
    case 'unknown':
    case 'not-sent':
      return { call: 'unknown' };
    default:
      return result satisfies never;
  }
}

function addResult(start: Start, news: CallResult, { partPspIds }: Called): Start {
  return partPspIds === undefined
    ? addCallResult(start, news)
    : addPartResult(start, partPspIds, news);
}

function callRecordOf({ operation, answer, outcome }: Called): CallRecord {
  const { durationMs, tries } = answer;
  const httpStatus = answer.kind === 'not-sent' ? null : answer.status;
  return { operation, outcome, durationMs, tries, httpStatus };
}

/** The same answer again is a repeat, as it would be for a delivery. */
export async function storeAnswers(
  services: Needs,
  account: Account,
  provider: ProviderName,
  records: Records,
): Promise<void> {
  for (const body of records) {
    const key = `answer-${digestOf(body)}`;
    const headers = { source: 'answer' };
    const delivery = newDelivery(services, account, provider, { key, headers, body });
    await storeDelivery(services, tryTranslate(delivery), 'provider');
  }
}
