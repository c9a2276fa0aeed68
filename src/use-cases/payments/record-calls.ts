/**
 * Saves the results of calls to providers, in one database transaction: in the history of each order, and in the
 * transaction that the call was about.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../../domain/accounts/account.ts';
import { addOperationResult } from '../../domain/order-state/operations.ts';
import { applyStart, setOperations } from '../../domain/order-state/order-state.ts';
import { type SettledOrderState, settle } from '../../domain/order-state/settle.ts';
import { type FailureCode, failureReason } from '../../domain/payments/failure.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import {
  addCallResult,
  addPartResult,
  type CallResult,
  type Start,
} from '../../domain/payments/start.ts';
import type { Transaction as OrderTransaction } from '../../domain/payments/transaction.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { limitLockWait, type Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import type { Outcome, Records, StartedPayment } from '../../providers/outbound.ts';
import { mapWithPauses } from '../../services/event-loop.ts';
import type { FinishedCall, Services } from '../../services/services.ts';
import { learnProviderOrders, type ProviderOrder } from '../../store/orders/order-matching.ts';
import { digestOf, newDelivery } from '../inbox/new-delivery.ts';
import { storeDelivery } from '../inbox/store-delivery.ts';
import { tryTranslate } from '../inbox/translate-delivery.ts';
import { unparkDeliveries } from '../inbox/unpark-deliveries.ts';
import { advance, describeChange, startChanges } from '../order-state/describe-change.ts';
import { lockOrderStates, orderKeyOf } from '../order-state/lock-order-state.ts';
import { listOrderChanges, saveOrderChanges } from '../order-state/save-order-state.ts';

/**
 * Returns the provider's order id that each call made known, in the order of the calls. `alsoSave` runs in the same
 * database transaction.
 */
export async function recordCalls(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  calls: readonly FinishedCall[],
  alsoSave?: (tx: Transaction) => Promise<void>,
): Promise<Array<string | undefined>> {
  return services.database.transaction(async (tx) => {
    const now = services.clock();
    const names = new Map(calls.map((call) => [orderKeyOf(call), call]));
    const [, locked] = await inOrder([
      // A lock that somebody else holds must not delay the whole batch: on a timeout each call is saved alone.
      async () => names.size > 1 && limitLockWait(tx),
      () => lockOrderStates(tx, [...names.values()]),
    ]);
    await alsoSave?.(tx);
    const orders = startChanges(locked);
    // Their order may have many transactions.
    const learned = await mapWithPauses(calls, (call) => applyCall(orders, call, now));
    const changed = [...orders.values()].filter(({ entries }) => entries.length > 0);
    const changes = await listOrderChanges(tx, services, changed, now);
    const providerOrders = learned.filter((entry) => entry !== undefined);
    // Awaited before the commit: if the connection is lost until then, the transaction is repeated. The result of a
    // started payment must not be lost.
    await inOrder([
      () => learnProviderOrders(tx, providerOrders),
      () => saveOrderChanges(tx, changes),
    ]);
    return learned.map((entry) => entry?.providerOrderId);
  });
}

/** Returns the provider's order, if it is known only since this call. */
function applyCall(
  orders: ReturnType<typeof startChanges>,
  call: FinishedCall,
  now: Date,
): ProviderOrder | undefined {
  const { accountId, orderId, transactionId, operation: cause, callResult } = call;
  const order = orders.get(orderKeyOf(call));
  if (!order) throw new Error(`order ${orderId} was found and does not exist any more`);
  const before = order.after;
  const known = before.transactions.find((entry) => entry.transactionId === transactionId);
  // Another transaction has replaced it since the call, and that one is polled separately.
  if (!known) return undefined;
  const after = settle(applyResult(before, known, call), now);
  const { entries } = describeChange(before, after, { cause, now });
  const record = { transactionId, changes: [], cause, happenedAt: now, call: callRecordOf(call) };
  advance(order, after, [record, ...entries]);

  const providerOrderId = callResult?.call === 'taken' ? callResult.providerOrderId : undefined;
  if (providerOrderId === undefined || known.start?.providerOrderId === providerOrderId)
    return undefined;
  return { accountId, provider: known.provider, providerOrderId, orderId };
}

function applyResult(before: SettledOrderState, known: OrderTransaction, call: FinishedCall) {
  const { callResult, operationId } = call;
  if (!callResult) return before;
  if (operationId !== undefined) {
    const { operations = [] } = before;
    const changed = addOperationResult(operations, operationId, callResult);
    return isDeepStrictEqual(changed, operations) ? before : setOperations(before, changed);
  }
  const start = known.start && addResult(known.start, callResult, call);
  const isSame = start === null || isDeepStrictEqual(start, known.start);
  return isSame ? before : applyStart(before, { ...known, start });
}

/** A refund may be several calls, and the result is that of the named ones only. */
export function addResult(
  start: Start,
  result: CallResult,
  { partPspIds }: Pick<FinishedCall, 'partPspIds'>,
): Start {
  return partPspIds === undefined
    ? addCallResult(start, result)
    : addPartResult(start, partPspIds, result);
}

function callRecordOf({ operation, answer, outcome }: FinishedCall) {
  const { durationMs, tries } = answer;
  const httpStatus = answer.kind === 'not-sent' ? null : answer.status;
  return { operation, outcome, durationMs, tries, httpStatus };
}

/**
 * Saves the result of a call to a provider in the order's history and in the transaction that the call started. Records
 * in the provider's answer are stored and applied like webhook deliveries. `more` are further calls for the same
 * transaction. `alsoSave` runs in the same database transaction.
 */
export async function recordCall(
  services: Services,
  call: FinishedCall,
  more: readonly FinishedCall[] = [],
  alsoSave?: (tx: Transaction) => Promise<void>,
): Promise<void> {
  for (const each of [call, ...more]) noteCall(services, each);
  const [learned] = await recordCalls(services, [call, ...more], alsoSave);
  await unparkLearned(services, call, learned);
}

/** In a batch with other polls: there are many of them, and nobody waits for one. */
export async function recordPoll(services: Services, call: FinishedCall): Promise<void> {
  noteCall(services, call);
  await unparkLearned(services, call, await services.recordCalls(call));
}

/** A refused payment concerns the merchant only; refused keys and failed calls concern the operator. */
function noteCall(
  { counters, warnings }: Pick<Services, 'counters' | 'warnings'>,
  call: FinishedCall,
): void {
  counters.noteCall(call);
  const { accountId, provider, operation, outcome } = call;
  const reason = outcome === 'done' ? undefined : findReason(call);
  if (reason !== undefined)
    warnings.failedCall({ accountId, provider, operation, outcome, reason });
}

/** Webhooks that arrived before the answer may be parked for the provider's order id. */
async function unparkLearned(
  services: Services,
  { accountId }: FinishedCall,
  learned: string | undefined,
): Promise<void> {
  if (learned === undefined) return;
  await unparkDeliveries(services, accountId, [learned]).catch(() => undefined);
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
 * later. A call that did not reach the provider took no effect, and `onNotSent` says what follows. Contract 4.16.
 */
export function callResultOfStart(
  result: Outcome<Partial<StartedPayment>>['result'],
  refused: { readonly what: string; readonly code: FailureCode },
  now: Date,
  onNotSent: (why: string) => CallResult,
): CallResult {
  switch (result.kind) {
    case 'done':
      return {
        call: 'taken',
        providerOrderId: result.providerOrderId,
        redirectUrl: storableUrl(result.redirectUrl),
        intentUrl: storableUrl(result.intentUrl),
      };
    case 'refused': {
      const words = `The provider refused ${refused.what}: ${result.why}.`;
      const failure = failureReason(result.code ?? refused.code, words);
      return { call: 'refused', failure, atMs: now.getTime() };
    }
    case 'unknown':
      return { call: 'unknown' };
    case 'not-sent':
      return onNotSent(result.why);
    default:
      return result satisfies never;
  }
}

function storableUrl(url: string | undefined): string | undefined {
  return url !== undefined && url.length <= paymentLimits.paymentUrlCharsMax ? url : undefined;
}

/** The key derives from the body, so that an equal answer counts as a repeat. */
export async function storeAnswers(
  services: Services,
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
