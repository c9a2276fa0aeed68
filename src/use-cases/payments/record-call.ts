/**
 * Saves the result of a call to a provider in the order's history and in the transaction that the call started. Records
 * in the provider's answer are stored and applied like webhook deliveries.
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

export type FinishedCall = {
  readonly accountId: string;
  readonly orderId: string;
  readonly transactionId: string;
  readonly provider: ProviderName;
  readonly operation: 'start-payment' | 'start-refund' | 'fetch-status';
  readonly answer: Answer;
  readonly outcome: string;
  readonly callResult?: CallResult | undefined;
  /** The provider's ids of the refund parts that `callResult` applies to. */
  readonly partPspIds?: readonly string[] | undefined;
};

/** `alsoSave` runs in the same database transaction. */
export async function recordCall(
  services: Needs,
  call: FinishedCall,
  alsoSave?: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const { accountId, orderId, transactionId, callResult } = call;
  services.counters.noteCall(call);
  warnOfFailure(services, call);
  const names = await services.database.transaction(async (tx) => {
    const now = services.clock();
    const before = await lockOrderState(tx, accountId, orderId);
    await alsoSave?.(tx);
    const known = before.transactions.find((entry) => entry.transactionId === transactionId);
    // Another transaction has replaced it since the call, and that one is polled separately.
    if (!known) return [];
    const after =
      callResult && known.start
        ? applyStart(before, { ...known, start: addResult(known.start, callResult, call) })
        : before;
    const providerOrderId = callResult?.call === 'taken' ? callResult.providerOrderId : undefined;
    if (providerOrderId !== undefined) {
      const { provider } = known;
      await learnProviderOrder(tx, { accountId, provider, providerOrderId, orderId });
    }
    await saveOrderState(tx, before, settle(after, now), {
      now,
      pollAt: addSeconds(now, services.settings.pollSeconds),
      cause: call.operation,
      call: { ...callRecordOf(call), transactionId },
    });
    return providerOrderId === undefined ? [] : [providerOrderId];
  });
  // Webhooks that arrived before the answer may be parked for the provider's order id.
  await unparkDeliveries(services, accountId, names).catch(() => undefined);
}

/** A refused payment concerns the merchant only; refused keys and failed calls concern the operator. */
function warnOfFailure({ warnings }: Needs, call: FinishedCall): void {
  const { accountId, provider, operation, outcome } = call;
  const reason = outcome === 'done' ? undefined : findReason(call);
  if (reason !== undefined)
    warnings.failedCall({ accountId, provider, operation, outcome, reason });
}

/** Never text from the provider, which may quote the request. */
function findReason({ answer, outcome }: FinishedCall): string | undefined {
  if (answer.kind !== 'answered') return answer.why;
  const { status } = answer;
  if (status === 401 || status === 403)
    return `the provider refused the account's keys with HTTP status ${status}`;
  return outcome === 'unknown'
    ? `the provider answered something we do not understand, with HTTP status ${status}`
    : undefined;
}

/**
 * Only an explicit refusal is a failure. A provider that did not answer may have accepted the call, so it is polled
 * later.
 */
export function callResultOfStart(
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

function addResult(start: Start, result: CallResult, { partPspIds }: FinishedCall): Start {
  return partPspIds === undefined
    ? addCallResult(start, result)
    : addPartResult(start, partPspIds, result);
}

function callRecordOf({ operation, answer, outcome }: FinishedCall): CallRecord {
  const { durationMs, tries } = answer;
  const httpStatus = answer.kind === 'not-sent' ? null : answer.status;
  return { operation, outcome, durationMs, tries, httpStatus };
}

/** The key derives from the body, so that an equal answer counts as a repeat. */
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
