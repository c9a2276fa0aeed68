/**
 * Saves the results of calls to providers, in one database transaction: in the history of each order, and in the
 * transaction that the call was about.
 */
import { isDeepStrictEqual } from 'node:util';
import { applyStart } from '../../domain/order-state/order-state.ts';
import { settle } from '../../domain/order-state/settle.ts';
import {
  addCallResult,
  addPartResult,
  type CallResult,
  type Start,
} from '../../domain/payments/start.ts';
import { addSeconds } from '../../domain/time.ts';
import { limitLockWait, type Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/in-order.ts';
import { databaseLimits } from '../../postgres/limits.ts';
import { mapWithPauses } from '../../services/event-loop.ts';
import type { FinishedCall } from '../../services/finished-call.ts';
import type { Services } from '../../services/services.ts';
import { learnProviderOrders, type ProviderOrder } from '../../store/orders/order-matching.ts';
import { describeChange } from '../order-state/describe-change.ts';
import { listNewEvents } from '../order-state/list-new-events.ts';
import { lockOrderStates, orderKeyOf } from '../order-state/lock-order-state.ts';
import { listOrderChanges } from '../order-state/order-changes.ts';
import { advance, type OrderProgress, startProgress } from '../order-state/order-progress.ts';
import { saveOrderChanges } from '../order-state/save-order-state.ts';

/**
 * Returns the provider's order id that each call made known, in the order of the calls. `alsoSave` runs in the same
 * database transaction.
 */
export async function recordCalls(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  calls: readonly FinishedCall[],
  alsoSave?: (tx: Transaction) => Promise<void>,
): Promise<Array<string | undefined>> {
  const { database, clock, settings, announcer } = services;
  return database.transaction(async (tx) => {
    const now = clock();
    const names = new Map(calls.map((call) => [orderKeyOf(call), call]));
    const [, locked] = await inOrder([
      // A lock that somebody else holds must not delay the whole batch: on a timeout each call is saved alone.
      async () => names.size > 1 && limitLockWait(tx, databaseLimits.batchLockMsMax),
      () => lockOrderStates(tx, [...names.values()]),
    ]);
    await alsoSave?.(tx);
    const orders = new Map(
      locked.map((before) => [orderKeyOf(before.order), startProgress(before)]),
    );
    // Their order may have many transactions.
    const learned = await mapWithPauses(calls, (call) => applyCall(orders, call, now));
    const pollAt = addSeconds(now, settings.pollSeconds);
    const changed = [...orders.values()].filter(({ entries }) => entries.length > 0);
    const events = await listNewEvents(tx, announcer, changed, now);
    const changes = listOrderChanges(changed, pollAt, events);
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
  orders: ReadonlyMap<string, OrderProgress>,
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
  const start = callResult && known.start ? addResult(known.start, callResult, call) : known.start;
  const isSame = start === null || isDeepStrictEqual(start, known.start);
  const after = settle(isSame ? before : applyStart(before, { ...known, start }), now);
  const { entries } = describeChange(before, after, { cause, now });
  const record = { transactionId, changes: [], cause, happenedAt: now, call: callRecordOf(call) };
  advance(order, after, [record, ...entries]);

  const providerOrderId = callResult?.call === 'taken' ? callResult.providerOrderId : undefined;
  if (providerOrderId === undefined || known.start?.providerOrderId === providerOrderId)
    return undefined;
  return { accountId, provider: known.provider, providerOrderId, orderId };
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
