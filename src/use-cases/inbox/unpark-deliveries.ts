/**
 * Applies parked deliveries whose order or payment is known now, because it was created or because another delivery
 * named it. Each may make further names known. Throws if the database is unavailable, so that a caller who can repeat
 * the request does not get a success.
 */
import { ServiceError } from '../../domain/errors.ts';
import type { JobSignals, Retry } from '../../services/job-signals.ts';
import type { Batches } from '../../store/batches.ts';
import { makeDue } from '../../store/parked-deliveries.ts';
import { type RetryNeeds, retryDelivery } from './retry-delivery.ts';

export type UnparkNeeds = RetryNeeds & {
  readonly batches: Pick<Batches, 'listParkedDeliveries'>;
  readonly retries: Pick<JobSignals<Retry>, 'signal'>;
};

/** The caller waits for these; the background applies the rest. */
const unparkedInlineMax = 20;

/** Finds the parked deliveries by the names that are known now. */
export async function unparkDeliveries(
  needs: UnparkNeeds,
  accountId: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const parked = await needs.batches.listParkedDeliveries({ accountId, names });
  await applyParked(needs, accountId, parked);
}

export async function applyParked(
  needs: UnparkNeeds,
  accountId: string,
  deliveryIds: readonly string[],
): Promise<void> {
  const seen = new Set<string>();
  let parked = deliveryIds;
  while (parked.length > 0) {
    const fresh = parked.filter((id) => !seen.has(id));
    const inline = fresh.slice(0, Math.max(0, unparkedInlineMax - seen.size));
    const later = fresh.slice(inline.length);
    for (const deliveryId of fresh) seen.add(deliveryId);
    const names: string[] = [];
    for (const deliveryId of inline) {
      const retried = await retryDelivery(needs, accountId, deliveryId, 'requested').catch(
        ignoreDefect,
      );
      if (retried) names.push(...retried.names);
      else later.push(deliveryId);
    }
    await leaveToBackground(needs, accountId, later);
    parked =
      names.length === 0 ? [] : await needs.batches.listParkedDeliveries({ accountId, names });
  }
}

/** A defect was reported and noted with its delivery. An unavailable database is for the caller to handle. */
function ignoreDefect(error: unknown): null {
  if (error instanceof ServiceError) throw error;
  return null;
}

async function leaveToBackground(
  { database, clock, retries }: UnparkNeeds,
  accountId: string,
  deliveryIds: readonly string[],
): Promise<void> {
  if (deliveryIds.length === 0) return;
  const at = clock();
  await makeDue(database, accountId, deliveryIds, at);
  for (const deliveryId of deliveryIds) retries.signal({ accountId, deliveryId, at });
}
