/** Everything that applying deliveries changed, as one value, and the one function that writes it. */
import { isDeepStrictEqual } from 'node:util';
import { type Delivery, isUnfinished } from '../../domain/inbox/delivery.ts';
import type { Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import type { Services } from '../../services/services.ts';
import { saveErasedBodies } from '../../store/consumers/erasure.ts';
import { insertDeliveries, updateDeliveries } from '../../store/inbox/delivery-writes.ts';
import {
  deleteOtherReferences,
  insertDeliveryReferences,
  type ParkedDelivery,
} from '../../store/inbox/parked-deliveries.ts';
import { insertProviderOrders, type ProviderOrder } from '../../store/orders/order-matching.ts';
import type { ChangedOrderState } from '../order-state/describe-change.ts';
import { listOrderChanges, saveOrderChanges } from '../order-state/save-order-state.ts';

type DecidedDelivery = {
  /** As it was. */
  readonly delivery: Delivery;
  readonly after: Delivery;
  readonly isNew: boolean;
  readonly parkedFor: readonly string[];
};

export async function listBatchChanges(
  tx: Transaction,
  services: Pick<Services, 'announcer' | 'settings'>,
  decided: readonly DecidedDelivery[],
  changed: {
    readonly orders: readonly ChangedOrderState[];
    readonly providerOrders: readonly ProviderOrder[];
  },
  now: Date,
) {
  return {
    orders: await listOrderChanges(tx, services, changed.orders, now),
    providerOrders: changed.providerOrders,
    newDeliveries: decided.filter(({ isNew }) => isNew).map(({ after }) => after),
    updatedDeliveries: decided.filter(isUpdated).map(({ after }) => after),
    // Stored deliveries that are stored again without personal data.
    erasedDeliveries: decided.filter(isErasedNow).map(({ after }) => after),
    parked: decided.map(toParked).filter(({ names }) => names.length > 0),
    // Only a delivery that was tried before can have references. Those that still apply: none when it is finished.
    retried: decided.filter(({ delivery }) => delivery.tries > 0).map(toParked),
  };
}

/** A delivery that was parked a moment ago is tried once more, and usually nothing has changed. */
function isUpdated({ delivery, after, isNew }: DecidedDelivery): boolean {
  const resultOf = ({ state, why, flags, orderId, tries, nextTryAt, finishedAt }: Delivery) =>
    [state, why, flags, orderId, tries, nextTryAt, finishedAt] as const;
  return !isNew && !isDeepStrictEqual(resultOf(delivery), resultOf(after));
}

function toParked({ after, parkedFor }: DecidedDelivery): ParkedDelivery {
  const { accountId, deliveryId, state } = after;
  return { accountId, deliveryId, names: isUnfinished(state) ? parkedFor : [] };
}

function isErasedNow({ delivery, after, isNew }: DecidedDelivery): boolean {
  return !isNew && !!delivery.body && !!after.body && !delivery.body.equals(after.body);
}

/**
 * Each part sends one statement at most, or all of its statements when it is started, so nothing is left to send when
 * this returns its promise and the commit can follow in the same pipeline.
 */
export async function saveBatchChanges(
  tx: Transaction,
  changes: Awaited<ReturnType<typeof listBatchChanges>>,
): Promise<void> {
  await inOrder([
    () => insertProviderOrders(tx, changes.providerOrders),
    () => saveOrderChanges(tx, changes.orders),
    () => insertDeliveries(tx, changes.newDeliveries),
    () => updateDeliveries(tx, changes.updatedDeliveries),
    ...changes.erasedDeliveries.map((delivery) => () => saveErasedBody(tx, delivery)),
    () => deleteOtherReferences(tx, changes.retried),
    () => insertDeliveryReferences(tx, changes.parked),
  ]);
}

async function saveErasedBody(tx: Transaction, delivery: Delivery): Promise<void> {
  const { accountId, deliveryId, why, body, finishedAt, receivedAt } = delivery;
  if (!body) return;
  await saveErasedBodies(tx, accountId, [{ deliveryId, why, body }], finishedAt ?? receivedAt);
}
