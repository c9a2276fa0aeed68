/**
 * The inbox: stores a batch of deliveries and applies them, in one database transaction. Contract 6.3.
 *
 * The files of this folder, in the order of the steps; each imports only files below it:
 *
 *   receive-delivery        one delivery over HTTP, from bytes to answer
 *   authenticate-delivery   who sends it, and for which account
 *   new-delivery            the delivery to store, without card data
 *   store-delivery          one delivery through a batch, and what follows from it
 *   retry-due               deliveries whose next try is due
 *   unpark-deliveries       parked deliveries whose order or payment is known now
 *   retry-deliveries        stored deliveries again, from fold-deliveries on: several in one transaction, or one
 *   store-batch             this file: the transaction, and which deliveries are stored already
 *   fold-deliveries         the locks of their orders, and what they change
 *   resolve-orders          which orders they belong to
 *   translate-delivery      what a delivery means
 *   batch-changes           everything that changed, as one value, and the function that writes it
 */
import { ServiceError } from '../../domain/errors.ts';
import { type Delivery, isUnfinished } from '../../domain/inbox/delivery.ts';
import {
  answerOf,
  type DeliveryCaller,
  type Incoming,
  isRefused,
  type ReceivedDelivery,
  type StoredOrRefused,
  type TranslatedDelivery,
} from '../../domain/inbox/incoming.ts';
import { keyOf, type RecognisedDelivery, recogniseRepeats } from '../../domain/inbox/repeats.ts';
import { type EndStage, ignoreStage } from '../../postgres/batch.ts';
import { limitLockWait, type Queryable, type Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import { createPauses } from '../../services/event-loop.ts';
import type { Services } from '../../services/services.ts';
import { listHeldEvents, lockDeliveriesByKey } from '../../store/inbox/delivery-writes.ts';
import { type KnownNames, listParkedDeliveries } from '../../store/inbox/parked-deliveries.ts';
import { listBatchChanges, saveBatchChanges } from './batch-changes.ts';
import { type DeliveryToApply, foldDeliveries } from './fold-deliveries.ts';
import { findOrders, lockAndResolveOrders } from './resolve-orders.ts';
import { translateDelivery } from './translate-delivery.ts';

/** Answers in the order of the batch. */
export function storeBatch(
  services: Pick<Services, 'database' | 'accounts' | 'announcer' | 'clock' | 'settings'>,
  incoming: readonly Incoming[],
  endStage: EndStage = ignoreStage,
): Promise<StoredOrRefused[]> {
  return services.database.transaction(
    (tx) => storeAndApply(tx, services, incoming, endStage),
    (answers, connection) => findParked(connection, answers),
  );
}

async function storeAndApply(
  tx: Transaction,
  services: Pick<Services, 'accounts' | 'announcer' | 'clock' | 'settings'>,
  incoming: readonly Incoming[],
  endStage: EndStage,
): Promise<Answer[]> {
  const { announcer, clock } = services;
  // Copies within the batch, and repeats of stored deliveries. Every transaction locks deliveries before orders, or
  // two of them could deadlock.
  const distinct = takeDistinct(incoming);
  const chosen = [...distinct.values()];
  const isAnnounced = chosen.some(({ delivery }) => announcer.isAnnouncing(delivery.accountId));
  const [, repeats, early] = await inOrder([
    // A lock that somebody else holds must not delay the whole batch: on a timeout each delivery runs alone.
    async () => incoming.length > 1 && limitLockWait(tx),
    () => lockRepeats(tx, listProvidersFirst(chosen)),
    () => lockAndResolveOrders(tx, chosen, isAnnounced),
  ]);
  endStage('lock');
  const open = await listOpen(distinct, repeats);

  const now = clock();
  const folded = await foldDeliveries(tx, services, open, now, early);
  const accepted = folded.deliveries.filter(({ caller, after }) => !isRefused(caller, after.state));
  const changes = await listBatchChanges(tx, services, accepted, folded, now);
  endStage('fold');
  // The commit follows in the same pipeline.
  tx.commitWith(saveBatchChanges(tx, changes));

  const decided = new Map(folded.deliveries.map((entry) => [entry.key, entry]));
  return incoming.map((entry) => {
    const key = keyOf(entry.delivery);
    const first = distinct.get(key) ?? entry;
    const own = decided.get(key);
    return own ? answerTo(entry, own, first !== entry) : answerRepeat(repeats(first.delivery));
  });
}

/** Of copies in one batch one is stored: a provider's before a bearer's, which may be refused. */
function takeDistinct(incoming: readonly Incoming[]): Map<string, Incoming> {
  const distinct = new Map<string, Incoming>();
  for (const entry of incoming) {
    const key = keyOf(entry.delivery);
    const known = distinct.get(key);
    if (!known || (known.caller === 'bearer' && entry.caller === 'provider'))
      distinct.set(key, entry);
  }
  return distinct;
}

/** A bearer's delivery may be refused, so it must not take an event id from a provider's. */
function listProvidersFirst(chosen: readonly Incoming[]): Delivery[] {
  const of = (caller: DeliveryCaller) => chosen.filter((entry) => entry.caller === caller);
  return [...of('provider'), ...of('bearer')].map(({ delivery }) => delivery);
}

/** A repeat of a finished delivery changes nothing. A repeat of an unfinished one applies the stored delivery. */
async function listOpen(distinct: ReadonlyMap<string, Incoming>, repeats: Repeats) {
  const open: Array<Incoming & DeliveryToApply & { readonly key: string }> = [];
  const pauseIfLong = createPauses();
  for (const [key, { caller, delivery, translation }] of distinct) {
    const { repeated, fresh } = repeats(delivery);
    if (!repeated) {
      open.push({ key, caller, delivery: fresh, translation, isNew: true, isTry: true });
    } else if (isUnfinished(repeated.state)) {
      open.push({ key, caller, ...translateDelivery(repeated), isNew: false, isTry: false });
      const pause = pauseIfLong();
      if (pause) await pause;
    }
  }
  return open;
}

/** An answer before the search for deliveries that are parked for one of the names. */
type Answer =
  | {
      readonly received: ReceivedDelivery;
      readonly known: KnownNames;
      readonly parked?: TranslatedDelivery;
    }
  | { readonly refusal: ServiceError };

const noNames: KnownNames = { accountId: '', names: [] };

function answerTo(
  { caller, translation }: Incoming,
  { after, names }: { readonly after: Delivery; readonly names: readonly string[] },
  isCopy: boolean,
): Answer {
  const { state, accountId } = after;
  if (isRefused(caller, state)) return { refusal: new ServiceError('ORDER_NOT_FOUND') };
  if (isCopy && !isUnfinished(state)) return answerRepeat({ repeated: after });
  const known = { accountId, names: isCopy ? [] : names };
  const parked = isUnfinished(state) && { parked: { delivery: after, translation } };
  return { received: answerOf(after, state), known, ...parked };
}

function answerRepeat({ repeated }: { readonly repeated: Delivery | undefined }): Answer {
  if (!repeated) throw new Error('a repeat of a delivery that is not stored');
  return { received: answerOf(repeated, 'duplicate'), known: noNames };
}

/**
 * Runs after the commit, when others can see what was stored. What a parked delivery needs may have been committed while
 * it was being stored: whoever commits that looks for parked deliveries afterwards, and the parked delivery looks for
 * that, so one of them sees the other. If it fails, the sweep finds them; a void is found by its next try.
 */
async function findParked(connection: Queryable, answers: readonly Answer[]) {
  const known = answers.map((answer) => ('refusal' in answer ? noNames : answer.known));
  const parked = answers.flatMap((answer) => ('refusal' in answer ? [] : (answer.parked ?? [])));
  const [found, orders] = await inOrder([
    () => listParkedDeliveries(connection, known).catch(() => []),
    () => findOrders(connection, parked).catch(() => undefined),
  ]);
  const isKnownNow = ({ delivery: { deliveryId } }: TranslatedDelivery) =>
    !orders || (orders.get(deliveryId)?.orders.length ?? 0) > 0;
  return answers.map((answer, index) => {
    if ('refusal' in answer) return answer;
    return {
      received: answer.received,
      isKnownNow: answer.parked !== undefined && isKnownNow(answer.parked),
      toUnpark: found[index] ?? [],
    };
  });
}

/** Loads what is stored under the keys and event ids of a batch, to tell repeats from new deliveries. Contract 6.7. */
type Repeats = (delivery: Delivery) => RecognisedDelivery;

/**
 * Locks stored deliveries, so that no other process applies one of them at the same time. Of several new bodies with
 * one event id, the first in the list gets it.
 */
export async function lockRepeats(
  tx: Transaction,
  deliveries: readonly Delivery[],
): Promise<Repeats> {
  const events = deliveries.flatMap(({ accountId, provider, eventId }) =>
    eventId === null ? [] : [{ accountId, provider, eventId }],
  );
  // Event ids are read after the lock, so that they include those of the transactions it waited for.
  const [stored, takenEvents] = await inOrder([
    () => lockDeliveriesByKey(tx, deliveries),
    () => listHeldEvents(tx, events),
  ]);
  const recognised = recogniseRepeats(deliveries, stored, takenEvents);
  return (delivery) =>
    recognised.get(delivery.deliveryId) ?? { repeated: undefined, fresh: delivery };
}
