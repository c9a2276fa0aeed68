/** Everything that applying deliveries changed, as one value, and the one function that writes it. */
import { type Delivery, isUnfinished } from '../../domain/inbox/delivery.ts';
import type { Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/in-order.ts';
import { insertDeliveries, updateDeliveries } from '../../store/delivery-writes.ts';
import { saveErasedBodies } from '../../store/erasure.ts';
import { insertProviderOrders, type ProviderOrder } from '../../store/order-matching.ts';
import {
  deleteDeliveryReferences,
  insertDeliveryReferences,
} from '../../store/parked-deliveries.ts';
import {
  type ChangedOrderState,
  listOrderChanges,
  type OrderChanges,
} from '../order-state/order-changes.ts';
import { saveOrderChanges } from '../order-state/save-order-state.ts';

export type BatchChanges = {
  /** Summaries, transactions and history of the orders. */
  readonly orders: OrderChanges;
  readonly providerOrders: readonly ProviderOrder[];
  readonly newDeliveries: readonly Delivery[];
  readonly updatedDeliveries: readonly Delivery[];
  /** Stored deliveries that are stored again without personal data. */
  readonly erasedDeliveries: readonly Delivery[];
  /** The names that parked deliveries are parked for. */
  readonly newReferences: ReadonlyArray<DeliveryName & { readonly names: readonly string[] }>;
  /** Deliveries that are parked no more. */
  readonly removedReferences: readonly DeliveryName[];
};

type DeliveryName = Pick<Delivery, 'accountId' | 'deliveryId'>;

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
): BatchChanges {
  const isParked = ({ after, parkedFor }: DecidedDelivery) =>
    isUnfinished(after.state) && parkedFor.length > 0;
  // Only a delivery that was tried before can have references.
  const wasParked = ({ before }: DecidedDelivery) => before.tries > 0;
  return {
    orders: listOrderChanges(orders, pollAt),
    providerOrders,
    newDeliveries: decided.filter(({ isNew }) => isNew).map(({ after }) => after),
    updatedDeliveries: decided.filter(({ isNew }) => !isNew).map(({ after }) => after),
    erasedDeliveries: decided.filter(isErasedNow).map(({ after }) => after),
    newReferences: decided
      .filter(isParked)
      .map(({ after: { accountId, deliveryId }, parkedFor }) => ({
        accountId,
        deliveryId,
        names: parkedFor,
      })),
    removedReferences: decided
      .filter((entry) => !isParked(entry) && wasParked(entry))
      .map(({ after }) => after),
  };
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
    ...changes.newReferences.map(
      ({ accountId, deliveryId, names }) =>
        () =>
          insertDeliveryReferences(tx, accountId, deliveryId, names),
    ),
    ...changes.removedReferences.map(
      ({ accountId, deliveryId }) =>
        () =>
          deleteDeliveryReferences(tx, accountId, deliveryId),
    ),
  ]);
}

async function saveErasedBody(tx: Transaction, delivery: Delivery): Promise<void> {
  const { accountId, deliveryId, why, body, finishedAt, receivedAt } = delivery;
  if (!body) return;
  await saveErasedBodies(tx, accountId, [{ deliveryId, why, body }], finishedAt ?? receivedAt);
}
