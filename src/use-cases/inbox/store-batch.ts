/**
 * Keeps deliveries in the inbox and applies them, all that wait together in one transaction. Copies that
 * arrive together are one; a repeat of what was applied changes nothing; a repeat of what was kept but not
 * applied is applied. Contract 6.3.
 */

import { ServiceError } from '../../domain/errors.ts';
import {
  type Delivery,
  type DeliveryCaller,
  type DeliveryState,
  type Incoming,
  isUnfinished,
  type ReceivedDelivery,
  type StoredDelivery,
  type StoredOrRefused,
} from '../../domain/inbox/delivery.ts';
import { limits } from '../../domain/limits.ts';
import { limitLockWait, type Queryable, type Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';

import { insertDeliveries, updateDeliveries } from '../../store/delivery-writes.ts';
import { type KnownNames, listParkedDeliveries } from '../../store/parked-deliveries.ts';
import type { AppliedDelivery } from './applied-delivery.ts';
import { applyDeliveries } from './apply-deliveries.ts';

import { saveIfErased } from './erase-delivery.ts';
import { keyOf, recogniseDeliveries } from './recognise-deliveries.ts';
import { lockAndResolveOrders } from './resolve-orders.ts';
import { resultOfRetry, writeReferences } from './retry-delivery.ts';

export function storeBatch(
  services: Services,
  incoming: readonly Incoming[],
): Promise<StoredOrRefused[]> {
  return services.database.transaction(
    async (tx) => {
      if (incoming.length === 1) return storeAll(tx, services, incoming);
      // One order that somebody holds must not hold up those beside it: then each goes alone.
      const limiting = limitLockWait(tx, limits.batchLockMsMax);
      const [kept] = await Promise.all([storeAll(tx, services, incoming), limiting]);
      return kept;
    },
    (kept, connection) => findParked(connection, kept),
  );
}

/** Looked for once all is there for others to see; should that fail, the sweep finds them. */
async function findParked(
  connection: Queryable,
  kept: readonly StoredOrRefusedBeforeUnparking[],
): Promise<StoredOrRefused[]> {
  const waited = kept.map((entry) => ('refusal' in entry ? nothing : entry.waited));
  const found = await listParkedDeliveries(connection, waited).catch(() => []);
  return kept.map((entry, place) =>
    'refusal' in entry ? entry : { ...entry, waiting: found[place] ?? [] },
  );
}

const nothing: KnownNames = { accountId: '', names: [] };

type StoredBeforeUnparking = Omit<StoredDelivery, 'waiting'> & { readonly waited: KnownNames };
type StoredOrRefusedBeforeUnparking = StoredBeforeUnparking | { readonly refusal: ServiceError };

async function storeAll(
  tx: Transaction,
  services: Services,
  incoming: readonly Incoming[],
): Promise<StoredOrRefusedBeforeUnparking[]> {
  const first = firstOfEach(incoming);
  const deliveries = [...first.values()].map(({ delivery }) => delivery);
  const [recognised, ground] = await Promise.all([
    recogniseDeliveries(tx, providersFirst(first)),
    lockAndResolveOrders(tx, deliveries),
  ]);
  const open = [...first].flatMap(([key, { delivery, caller }]) => {
    const { known, fresh } = recognised(delivery);
    if (known && !isUnfinished(known.state)) return [];
    return [{ key, caller, delivery: known ?? fresh, isNew: !known }];
  });
  const { applied, save } = await applyDeliveries(
    tx,
    services,
    open.map(({ delivery }) => delivery),
    ground,
  );
  const done = open.map((entry, index) => ({ ...entry, ...judge(entry, applied[index]) }));
  const accepted = done.filter(({ caller, after }) => !isRefused(caller, after));
  tx.commitWith(Promise.all([save(), write(tx, accepted)]));

  const outcomes = new Map(done.map((entry) => [entry.key, entry]));
  return incoming.map((entry) => {
    const key = keyOf(entry.delivery);
    const own = outcomes.get(key);
    const isCopy = first.get(key) !== entry;
    if (!own) return repeatOf(recognised(first.get(key)?.delivery ?? entry.delivery).known);
    if (isRefused(entry.caller, own.after)) return { refusal: new ServiceError('ORDER_NOT_FOUND') };
    if (isCopy && !isUnfinished(own.after.state)) return repeatOf(own.after);
    const received = outcomeOf(own.after, own.after.state);
    const { accountId, nextTryAt } = own.after;
    return { received, nextTryAt, waited: { accountId, names: isCopy ? [] : own.names } };
  });
}

/** Of copies that come together one is kept; a provider's before a bearer's, who may be refused. */
function firstOfEach(incoming: readonly Incoming[]): Map<string, Incoming> {
  const first = new Map<string, Incoming>();
  for (const entry of incoming) {
    const key = keyOf(entry.delivery);
    const known = first.get(key);
    if (!known || (known.caller === 'bearer' && entry.caller === 'provider')) first.set(key, entry);
  }
  return first;
}

/** A bearer's may be refused, and must not hold an event id that a provider's could. */
function providersFirst(first: ReadonlyMap<string, Incoming>): Delivery[] {
  const of = (caller: DeliveryCaller) =>
    [...first.values()].filter((entry) => entry.caller === caller);
  return [...of('provider'), ...of('bearer')].map(({ delivery }) => delivery);
}

/** Contract 6.5: a bearer caller is told, a provider's delivery is kept. */
function isRefused(caller: DeliveryCaller, { state }: Delivery): boolean {
  return caller === 'bearer' && isUnfinished(state);
}

type Judged = {
  readonly after: Delivery;
  readonly names: readonly string[];
  readonly waitsFor: readonly string[];
};

function judge(
  { delivery, isNew }: { readonly delivery: Delivery; readonly isNew: boolean },
  applied: AppliedDelivery | undefined,
): Judged {
  if (!applied) throw new Error('a delivery was not applied');
  const { result, names, waitsFor, erasedBody } = applied;
  const after = {
    ...delivery,
    ...(isNew ? result : resultOfRetry(delivery, result)),
    ...(erasedBody && { body: erasedBody }),
  };
  return { after, names, waitsFor };
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
    ...done.map((entry) =>
      entry.isNew ? undefined : saveIfErased(tx, entry.delivery, entry.after),
    ),
    ...done.map(({ delivery, waitsFor }) => writeReferences(tx, delivery, waitsFor)),
  ]);
}

function repeatOf(delivery: Delivery | undefined): StoredBeforeUnparking {
  if (!delivery) throw new Error('a repeat of nothing that is stored');
  return { received: outcomeOf(delivery, 'duplicate'), waited: nothing, nextTryAt: null };
}

export function outcomeOf(
  { deliveryId, orderId, why }: Pick<Delivery, 'deliveryId' | 'orderId' | 'why'>,
  state: DeliveryState | 'duplicate',
): ReceivedDelivery {
  return { status: statusOf(state), deliveryId, orderId, why };
}

/** In the words of an answer, which a provider may read: whether a person closed it is not its business. */
function statusOf(state: DeliveryState | 'duplicate'): ReceivedDelivery['status'] {
  switch (state) {
    case 'received':
    case 'dead':
      return 'parked';
    case 'resolved':
    case 'expired':
      return 'duplicate';
    default:
      return state;
  }
}
