/**
 * Applies stored deliveries again, in a database transaction that has locked them. The steps are those of a batch of
 * webhooks, from "resolve orders" on.
 */
import { type Delivery, isUnfinished } from '../../domain/inbox/delivery.ts';
import { listNames } from '../../domain/inbox/delivery-names.ts';
import type { TranslatedDelivery } from '../../domain/inbox/incoming.ts';
import { resultOfRetry } from '../../domain/inbox/retry-schedule.ts';
import { findOrderNames } from '../../domain/inbox/translation.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { listNewEvents } from '../order-state/list-new-events.ts';
import { listBatchChanges, saveBatchChanges } from './batch-changes.ts';
import { type FoldedDelivery, lockAndFold } from './fold-deliveries.ts';
import { resolveOrders } from './resolve-orders.ts';
import { translateDeliveries } from './translate-delivery.ts';

export type RetryReason =
  /** The next try is due. It counts as a try. */
  | 'due'
  /** Its order appeared, or an operator replays it. It does not count as a try. */
  | 'requested';

export type AppliedDelivery = {
  readonly before: Delivery;
  readonly after: Delivery;
  /** Names that other deliveries may be parked for although they are known. */
  readonly names: readonly string[];
};

/** In the order of the deliveries, which must be locked. */
export async function applyStored(
  tx: Transaction,
  { clock, settings, announcer }: Pick<Services, 'announcer' | 'clock' | 'settings'>,
  deliveries: readonly Delivery[],
  reason: RetryReason,
): Promise<AppliedDelivery[]> {
  if (deliveries.length === 0) return [];
  const now = clock();
  const batch = await translateDeliveries(deliveries);
  const resolved = await resolveOrders(tx, batch);
  const folded = await lockAndFold(tx, batch, resolved, { now });
  const decided = batch.map((entry, index) => decide(entry, folded.deliveries[index], reason));
  const pollAt = addSeconds(now, settings.pollSeconds);
  const events = await listNewEvents(tx, announcer, folded.orders, now);
  const { providerOrders } = resolved;
  const changes = listBatchChanges(decided, folded.orders, providerOrders, pollAt, events);
  // Awaited before the commit: if the connection is lost until then, the transaction is repeated.
  await saveBatchChanges(tx, changes);
  return decided;
}

function decide(
  { delivery: before, translation }: TranslatedDelivery,
  folded: FoldedDelivery | undefined,
  reason: RetryReason,
) {
  if (!folded) throw new Error('a delivery was not applied');
  const { result, parkedFor, erasedBody } = folded;
  const after = {
    ...before,
    ...(reason === 'due' ? result : resultOfRetry(before, result)),
    ...(erasedBody && { body: erasedBody }),
  };
  // All of its names, not only the new ones: more may be parked for them than were made due when they became known.
  const own = isUnfinished(after.state) ? undefined : findOrderNames(translation);
  return { before, after, isNew: false, parkedFor, names: own ? listNames(own) : [] };
}
