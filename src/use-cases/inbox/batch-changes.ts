/** Everything that applying deliveries changed, as one value, and the one function that writes it. */
import { isDeepStrictEqual } from 'node:util';
import { type Delivery, isUnfinished } from '../../domain/inbox/delivery.ts';
import type { Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import { saveErasedBodies } from '../../store/consumers/erasure.ts';
import type { NewEvent } from '../../store/events/events.ts';
import { insertDeliveries, updateDeliveries } from '../../store/inbox/delivery-writes.ts';
import {
  deleteOtherReferences,
  insertDeliveryReferences,
  type ParkedDelivery,
} from '../../store/inbox/parked-deliveries.ts';
import { insertProviderOrders, type ProviderOrder } from '../../store/orders/order-matching.ts';
import {
  type ChangedOrderState,
  listOrderChanges,
  type OrderChanges,
} from '../order-state/order-changes.ts';
import { saveOrderChanges } from '../order-state/save-order-state.ts';

type BatchChanges = {
  /** Summaries, transactions and history of the orders. */
  readonly orders: OrderChanges;
  readonly providerOrders: readonly ProviderOrder[];
  readonly newDeliveries: readonly Delivery[];
  readonly updatedDeliveries: readonly Delivery[];
  /** Stored deliveries that are stored again without personal data. */
  readonly erasedDeliveries: readonly Delivery[];
  /** Deliveries that are parked, and what for. */
  readonly parked: readonly ParkedDelivery[];
  /** Deliveries that may have references from earlier tries, and the names that still apply: none when finished. */
  readonly retried: readonly ParkedDelivery[];
};

export type DecidedDelivery = {
  readonly before: Delivery;
  readonly after: Delivery;
  readonly isNew: boolean;
  readonly parkedFor: readonly string[];
};

export function listBatchChanges(
  decided: readonly DecidedDelivery[],
  orders: readonly ChangedOrderState[],
  providerOrders: readonly ProviderOrder[],
  pollAt: Date,
  events: readonly NewEvent[],
): BatchChanges {
  return {
    orders: listOrderChanges(orders, pollAt, events),
    providerOrders,
    newDeliveries: decided.filter(({ isNew }) => isNew).map(({ after }) => after),
    updatedDeliveries: decided.filter(isUpdated).map(({ after }) => after),
    erasedDeliveries: decided.filter(isErasedNow).map(({ after }) => after),
    parked: decided.map(toParked).filter(({ names }) => names.length > 0),
    // Only a delivery that was tried before can have references.
    retried: decided.filter(({ before }) => before.tries > 0).map(toParked),
  };
}

/** A delivery that was parked a moment ago is tried once more, and usually nothing has changed. */
function isUpdated({ before, after, isNew }: DecidedDelivery): boolean {
  const resultOf = ({ state, why, flags, orderId, tries, nextTryAt, finishedAt }: Delivery) =>
    [state, why, flags, orderId, tries, nextTryAt, finishedAt] as const;
  return !isNew && !isDeepStrictEqual(resultOf(before), resultOf(after));
}

function toParked({ after, parkedFor }: DecidedDelivery): ParkedDelivery {
  const { accountId, deliveryId, state } = after;
  return { accountId, deliveryId, names: isUnfinished(state) ? parkedFor : [] };
}

function isErasedNow({ before, after, isNew }: DecidedDelivery): boolean {
  if (isNew || !before.body || !after.body) return false;
  return !before.body.equals(after.body);
}

/**
 * Each part sends one statement at most, or all of its statements when it is started, so nothing is left to send when
 * this returns its promise and the commit can follow in the same pipeline.
 */
export async function saveBatchChanges(tx: Transaction, changes: BatchChanges): Promise<void> {
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
