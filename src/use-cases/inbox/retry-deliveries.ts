/**
 * Applies several stored deliveries again, in one transaction. If that fails, each runs alone, so that one that cannot
 * be applied does not keep the others waiting.
 */
import type { Actor, AuditEntry } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Delivery, type DeliveryKey, isUnfinished } from '../../domain/inbox/delivery.ts';
import { listNames } from '../../domain/inbox/delivery-names.ts';
import { failedTryOf, isDue } from '../../domain/inbox/retry-schedule.ts';
import { findOrderNames } from '../../domain/inbox/translation.ts';
import { limitLockWait, type Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { lockDelivery } from '../../store/inbox/deliveries.ts';
import { updateDeliveries } from '../../store/inbox/delivery-writes.ts';
import { listBatchChanges, saveBatchChanges } from './batch-changes.ts';
import { foldDeliveries } from './fold-deliveries.ts';
import { translateDeliveries } from './translate-delivery.ts';

type RetryReason =
  /** The next try is due. It counts as a try. */
  | 'due'
  /** Its order appeared, or an operator replays it. It does not count as a try. */
  | 'requested';

type RetriedDeliveries = {
  readonly retried: readonly RetriedDelivery[];
  /** A defect was reported and noted with its delivery. An unavailable database is for the caller to handle. */
  readonly failed: ReadonlyArray<DeliveryKey & { readonly error: unknown }>;
};

/**
 * `lock` chooses the deliveries and locks them. Every transaction locks deliveries before orders, and orders in the order
 * of their keys, or two of them could deadlock. `named` are those to run alone if they could not even be locked.
 */
export async function retryDeliveries(
  services: Services,
  lock: (tx: Transaction) => Promise<readonly Delivery[]>,
  reason: RetryReason,
  named: readonly DeliveryKey[] = [],
): Promise<RetriedDeliveries> {
  let chosen = named;
  let applied: Awaited<ReturnType<typeof applyStored>>;
  try {
    applied = await services.database.transaction(async (tx) => {
      // A lock that somebody else holds must not delay the whole batch.
      const [, locked] = await inOrder([() => limitLockWait(tx), () => lock(tx)]);
      chosen = locked;
      return applyStored(tx, services, locked, reason);
    });
  } catch (error) {
    if (error instanceof ServiceError || chosen.length === 0) throw error;
    return retryEach(services, chosen, reason);
  }
  noteStates(services, applied);
  return { retried: applied, failed: [] };
}

/** One of them may have to wait for a lock. */
const concurrentMax = 4;

async function retryEach(
  services: Services,
  deliveries: readonly DeliveryKey[],
  reason: RetryReason,
): Promise<RetriedDeliveries> {
  const retried: RetriedDelivery[] = [];
  const failed: Array<DeliveryKey & { error: unknown }> = [];
  const queue = deliveries.values();
  const work = async () => {
    for (const { accountId, deliveryId } of queue) {
      await retryDelivery(services, accountId, deliveryId, reason).then(
        (entry) => retried.push(entry),
        (error: unknown) => failed.push({ accountId, deliveryId, error }),
      );
    }
  };
  await Promise.all(Array.from({ length: concurrentMax }, work));
  return { retried, failed };
}

type RetriedDelivery = Awaited<ReturnType<typeof retryDelivery>>;

/**
 * Applies one stored delivery again, in a transaction of its own: when an operator replays it, when it was parked a
 * moment ago, and when a batch of retries failed. A try that fails is noted with the delivery, and with the `actor` who
 * asked for it. `before` and `after` are undefined if no such delivery is stored.
 */
export async function retryDelivery(
  services: Services,
  accountId: string,
  deliveryId: string,
  reason: RetryReason,
  actor?: Actor,
) {
  try {
    const { stored, applied } = await services.database.transaction(async (tx) => {
      const delivery = await lockDelivery(tx, accountId, deliveryId);
      const mayRun = reason === 'requested' || (delivery && isDue(delivery, services.clock()));
      // A delivery without a body was pruned: it is finished and cannot be read any more.
      if (!delivery?.body || !mayRun) return { stored: delivery, applied: [] };
      const applied = await applyStored(tx, services, [delivery], reason);
      if (actor) await writeAudit(tx, services, actor, delivery, {});
      return { stored: delivery, applied };
    });
    noteStates(services, applied);
    const [own] = applied;
    return { before: stored, after: own?.after ?? stored, names: own?.names ?? [] };
  } catch (error) {
    // An unavailable database says nothing about the delivery.
    if (error instanceof ServiceError) throw error;
    await noteFailedTry(services, accountId, deliveryId, error, actor);
    throw error;
  }
}

function writeAudit(
  tx: Transaction,
  { clock }: Pick<Services, 'clock'>,
  actor: Actor,
  { accountId, deliveryId }: Delivery,
  details: AuditEntry['details'],
): Promise<void> {
  const action = 'delivery.replayed';
  return appendAudit(tx, actor, clock(), { accountId, action, object: deliveryId, details });
}

/**
 * The steps of a batch of webhooks from fold-deliveries on. The deliveries must be locked; the results are in their
 * order. `names` are those that other deliveries may be parked for although they are known.
 */
async function applyStored(
  tx: Transaction,
  services: Pick<Services, 'accounts' | 'announcer' | 'clock' | 'settings'>,
  deliveries: readonly Delivery[],
  reason: RetryReason,
) {
  if (deliveries.length === 0) return [];
  const now = services.clock();
  const translated = await translateDeliveries(deliveries);
  const batch = translated.map((entry) => ({ ...entry, isNew: false, isTry: reason === 'due' }));
  const folded = await foldDeliveries(tx, services, batch, now);
  const changes = await listBatchChanges(tx, services, folded.deliveries, folded, now);
  // Awaited before the commit: if the connection is lost until then, the transaction is repeated.
  await saveBatchChanges(tx, changes);
  return folded.deliveries.map(({ delivery: before, translation, after }) => {
    // All of its names, not only the new ones: more may be parked for them than were made due when they became known.
    const own = isUnfinished(after.state) ? undefined : findOrderNames(translation);
    return { before, after, names: own ? listNames(own) : [] };
  });
}

/** Counts transitions: a delivery that stays parked is not counted again. */
function noteStates(
  { counters }: Pick<Services, 'counters'>,
  applied: Awaited<ReturnType<typeof applyStored>>,
): void {
  for (const { before, after } of applied) {
    if (after.state !== before.state) counters.noteDeliveries(after.state);
  }
}

/** In a transaction of its own: the one of the failed try is rolled back. Whoever asked for it is named all the same. */
async function noteFailedTry(
  services: Pick<Services, 'database' | 'counters' | 'clock' | 'reportDefect'>,
  accountId: string,
  deliveryId: string,
  error: unknown,
  actor: Actor | undefined,
): Promise<void> {
  const { database, clock, counters, reportDefect } = services;
  reportDefect(error, { deliveryId });
  const state = await database.transaction(async (tx) => {
    const delivery = await lockDelivery(tx, accountId, deliveryId);
    if (delivery && actor) await writeAudit(tx, services, actor, delivery, { outcome: 'failed' });
    if (!delivery || !isDue(delivery, clock())) return undefined;
    const after = { ...delivery, ...failedTryOf(delivery, clock()) };
    await updateDeliveries(tx, [after]);
    return after.state;
  });
  if (state) counters.noteDeliveries(state);
}
