/**
 * Keeps deliveries in the inbox and applies them, all that wait together in one transaction. Copies that
 * arrive together are one; a repeat of what was applied changes nothing; a repeat of what was kept but not
 * applied is applied. Decision 6.3.
 */
import { ServiceError } from '../domain/errors.ts';
import type { Transaction } from '../store/database.ts';
import { type Delivery, type DeliveryState, isUnfinished } from '../store/deliveries.ts';
import {
  insertDeliveries,
  lockDeliveriesByKey,
  updateDeliveries,
} from '../store/delivery-writes.ts';
import { type AppliedDelivery, applyDeliveries, findAims } from './apply-deliveries.ts';
import type { DeliveryCaller } from './authenticate-delivery.ts';
import { resultOfAsking, writeReferences } from './retry-delivery.ts';
import type { Services } from './services.ts';

export type Incoming = { readonly delivery: Delivery; readonly caller: DeliveryCaller };

export type ReceivedDelivery = {
  readonly status: Exclude<DeliveryState, 'received' | 'dead'> | 'duplicate';
  readonly deliveryId: string;
  readonly orderId: string | null;
  readonly why: string | null;
};

export type KeptDelivery = {
  readonly received: ReceivedDelivery;
  readonly names: readonly string[];
  readonly nextTryAt: Date | null;
};

/** A bearer caller is told at once of what a provider would be kept for. */
export type KeptOrRefused = KeptDelivery | { readonly refusal: ServiceError };

export function keepTogether(
  services: Services,
  incoming: readonly Incoming[],
): Promise<KeptOrRefused[]> {
  return services.database.transaction((tx) => keepAll(tx, services, incoming));
}

async function keepAll(
  tx: Transaction,
  services: Services,
  incoming: readonly Incoming[],
): Promise<KeptOrRefused[]> {
  const first = new Map(incoming.toReversed().map((entry) => [keyOf(entry.delivery), entry]));
  const deliveries = [...first.values()].map(({ delivery }) => delivery);
  const [locked, aims] = await Promise.all([
    lockDeliveriesByKey(tx, deliveries),
    findAims(tx, deliveries),
  ]);
  const known = new Map(locked.map((delivery) => [keyOf(delivery), delivery]));
  const open = [...first].flatMap(([key, { delivery, caller }]) => {
    const before = known.get(key);
    if (before && !isUnfinished(before.state)) return [];
    return [{ key, caller, delivery: before ?? delivery, isNew: !before }];
  });
  const { applied, save } = await applyDeliveries(
    tx,
    services,
    open.map(({ delivery }) => delivery),
    aims,
  );
  const done = open.map((entry, index) => ({ ...entry, ...judge(entry, applied[index]) }));
  const accepted = done.filter(({ refusal }) => !refusal);
  await Promise.all([save(), write(tx, accepted)]);

  const outcomes = new Map(done.map((entry) => [entry.key, entry]));
  return incoming.map((entry) => {
    const key = keyOf(entry.delivery);
    const own = outcomes.get(key);
    const isCopy = first.get(key) !== entry;
    if (!own) return repeatOf(known.get(key) ?? entry.delivery);
    if (own.refusal) return { refusal: own.refusal };
    if (isCopy && !isUnfinished(own.after.state)) return repeatOf(own.after);
    const received = outcomeOf(own.after, own.after.state);
    return { received, names: isCopy ? [] : own.names, nextTryAt: own.after.nextTryAt };
  });
}

type Judged = {
  readonly after: Delivery;
  readonly names: readonly string[];
  readonly waitsFor: readonly string[];
  readonly refusal: ServiceError | undefined;
};

function judge(
  { delivery, caller, isNew }: { delivery: Delivery; caller: DeliveryCaller; isNew: boolean },
  applied: AppliedDelivery | undefined,
): Judged {
  if (!applied) throw new Error('a delivery was not applied');
  const { result, names, waitsFor } = applied;
  const after = { ...delivery, ...(isNew ? result : resultOfAsking(delivery, result)) };
  const isRefused = caller === 'bearer' && isUnfinished(after.state);
  const refusal = isRefused ? new ServiceError('ORDER_NOT_FOUND') : undefined;
  return { after, names, waitsFor, refusal };
}

async function write(
  tx: Transaction,
  done: ReadonlyArray<Judged & { readonly isNew: boolean; readonly delivery: Delivery }>,
): Promise<void> {
  const after = (isNew: boolean) =>
    done.filter((entry) => entry.isNew === isNew).map((entry) => entry.after);
  await Promise.all([
    insertDeliveries(tx, after(true)),
    updateDeliveries(tx, after(false)),
    ...done.map(({ delivery, waitsFor }) => writeReferences(tx, delivery, waitsFor)),
  ]);
}

function keyOf({ accountId, provider, deliveryKey }: Delivery): string {
  return `${accountId}/${provider}/${deliveryKey}`;
}

function repeatOf(delivery: Delivery): KeptDelivery {
  return { received: outcomeOf(delivery, 'duplicate'), names: [], nextTryAt: null };
}

export function outcomeOf(
  { deliveryId, orderId, why }: Pick<Delivery, 'deliveryId' | 'orderId' | 'why'>,
  state: DeliveryState | 'duplicate',
): ReceivedDelivery {
  const status = state === 'received' || state === 'dead' ? 'parked' : state;
  return { status, deliveryId, orderId, why };
}
