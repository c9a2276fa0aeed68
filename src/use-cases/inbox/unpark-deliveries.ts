/**
 * Applies parked deliveries whose order or payment is known now, because it was created or because another delivery
 * named it. Each may make further names known. Throws if the database is unavailable, so that a caller who can repeat
 * the request does not get a success.
 */
import { ServiceError } from '../../domain/errors.ts';
import type { Services } from '../../services/services.ts';
import { lockDeliveries } from '../../store/inbox/deliveries.ts';
import { makeDue } from '../../store/inbox/parked-deliveries.ts';
import { retryDeliveries } from './retry-deliveries.ts';

/** The caller waits for these; the background applies the rest. */
const unparkedInlineMax = 20;

/** Finds the parked deliveries by the names that are known now. */
export async function unparkDeliveries(
  services: Services,
  accountId: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const parked = await services.batches.listParkedDeliveries({ accountId, names });
  await applyParked(services, accountId, parked);
}

export async function applyParked(
  services: Services,
  accountId: string,
  deliveryIds: readonly string[],
): Promise<void> {
  const leftToBackground = new Set<string>();
  let tries = 0;
  let parked = deliveryIds;
  // Each further round follows from a delivery that was finished, so the tries are bounded.
  while (parked.length > 0) {
    // May contain one that was tried and is parked again: a void may be tried before its payment in the same round.
    const open = parked.filter((id) => !leftToBackground.has(id));
    const inline = open.slice(0, unparkedInlineMax - tries);
    tries += inline.length;
    const { names, failed } = await retryInline(services, accountId, inline);
    const later = [...failed, ...open.slice(inline.length)];
    for (const deliveryId of later) leftToBackground.add(deliveryId);
    if (later.length > 0) await makeDue(services.database, accountId, later);
    parked =
      names.length === 0 ? [] : await services.batches.listParkedDeliveries({ accountId, names });
  }
}

async function retryInline(services: Services, accountId: string, deliveryIds: readonly string[]) {
  if (deliveryIds.length === 0) return { names: [], failed: [] };
  const { retried, failed } = await retryDeliveries(
    services,
    (tx) => lockDeliveries(tx, accountId, deliveryIds),
    'requested',
    deliveryIds.map((deliveryId) => ({ accountId, deliveryId })),
  );
  for (const { error } of failed) if (error instanceof ServiceError) throw error;
  return {
    names: [...new Set(retried.flatMap((entry) => entry.names))],
    failed: failed.map(({ deliveryId }) => deliveryId),
  };
}
