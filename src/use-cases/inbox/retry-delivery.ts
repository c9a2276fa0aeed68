/** Tries a kept delivery again: for the worker, for a new order, and for an operator's replay. */

import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../domain/errors.ts';
import { type Delivery, type DeliveryResult, isUnfinished } from '../../domain/inbox/delivery.ts';
import { nextTryOf } from '../../domain/inbox/retry-schedule.ts';
import type { Database, Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { lockDelivery } from '../../store/deliveries.ts';
import { updateDeliveries } from '../../store/delivery-writes.ts';
import {
  deleteDeliveryReferences,
  insertDeliveryReferences,
} from '../../store/parked-deliveries.ts';
import { applyDeliveries } from './apply-deliveries.ts';
import { saveIfErased } from './erase-delivery.ts';

export type RetryReason =
  /** Its time has come: counts as a try. */
  | 'due'
  /** Its order appeared, or an operator asks: never the last try. */
  | 'asked';

export type RetriedDelivery = {
  /** As it is afterwards; undefined when there is none. */
  readonly delivery: Delivery | undefined;
  readonly names: readonly string[];
};

export async function retryDelivery(
  services: Services,
  accountId: string,
  deliveryId: string,
  reason: RetryReason,
): Promise<RetriedDelivery> {
  try {
    const retried = await services.database.transaction(async (tx) => {
      const delivery = await lockDelivery(tx, accountId, deliveryId);
      // What was pruned is finished, and can be read no more.
      if (!delivery?.body || (reason === 'due' && !isDue(delivery, services.clock()))) {
        return { delivery, names: [], hasMoved: false };
      }
      const { applied, save } = await applyDeliveries(tx, services, [delivery]);
      await save();
      const [own] = applied;
      if (!own) throw new Error('a delivery was not applied');
      const { result, names, waitsFor, erasedBody } = own;
      const kept = reason === 'due' ? result : resultOfRetry(delivery, result);
      const after = { ...delivery, ...kept, ...(erasedBody && { body: erasedBody }) };
      await updateDeliveries(tx, [after]);
      await saveIfErased(tx, delivery, after);
      await writeReferences(tx, delivery, isUnfinished(after.state) ? waitsFor : []);
      return { delivery: after, names, hasMoved: after.state !== delivery.state };
    });
    const { delivery, names, hasMoved } = retried;
    if (delivery && hasMoved) services.counters.noteDeliveries(delivery.state);
    return { delivery, names };
  } catch (error) {
    // A database that is away says nothing about the delivery.
    if (error instanceof ServiceError) throw error;
    await noteFailure(services, services.database, accountId, deliveryId, error);
    throw error;
  }
}

/** A finished one has nothing to wait for, and one that was tried meanwhile is not due yet. */
function isDue({ state, nextTryAt }: Delivery, now: Date): boolean {
  return isUnfinished(state) && nextTryAt !== null && nextTryAt <= now;
}

/** Asking, or sending it again, costs no try; what was applied before stays what it was when nothing changes. */
export function resultOfRetry(delivery: Delivery, result: DeliveryResult): DeliveryResult {
  const { state, tries, nextTryAt, finishedAt } = delivery;
  if (isUnfinished(result.state)) {
    // What a person has closed stays closed until it can be applied.
    if (state === 'resolved') return delivery;
    return isUnfinished(state) ? { ...result, state, tries, nextTryAt, finishedAt } : result;
  }
  return saysNothingNew(delivery, result) ? delivery : result;
}

/** It was linked to its order before, and the result is the same. */
function saysNothingNew(delivery: Delivery, result: DeliveryResult): boolean {
  const { state, why, flags, orderId } = delivery;
  if (state === 'resolved' && result.state !== 'processed') {
    // A person has dealt with all of this.
    return orderId === result.orderId && result.flags.every((flag) => flags.includes(flag));
  }
  if (orderId === null) return false;
  if (result.state === 'stale') return true;
  return isDeepStrictEqual(
    [state, why, flags, orderId],
    [result.state, result.why, result.flags, result.orderId],
  );
}

/** What it waits for from now on, or that it waits no more. */
export async function writeReferences(
  tx: Transaction,
  { accountId, deliveryId, tries }: Delivery,
  waitsFor: readonly string[],
): Promise<void> {
  if (waitsFor.length > 0) await insertDeliveryReferences(tx, accountId, deliveryId, waitsFor);
  else if (tries > 0) await deleteDeliveryReferences(tx, accountId, deliveryId);
}

/** A try that fails is a try: after the last the delivery is dead and shown, not tried for ever. */
async function noteFailure(
  services: Services,
  database: Database,
  accountId: string,
  deliveryId: string,
  error: unknown,
): Promise<void> {
  services.reportDefect(error, { deliveryId });
  const state = await database.transaction(async (tx) => {
    const delivery = await lockDelivery(tx, accountId, deliveryId);
    if (!delivery || !isDue(delivery, services.clock())) return undefined;
    const why = 'it could not be applied and is tried again';
    const after = { ...delivery, ...nextTryOf(delivery, services.clock(), 'received'), why };
    await updateDeliveries(tx, [after]);
    return after.state;
  });
  if (state) services.counters.noteDeliveries(state);
}
