/**
 * Resolves a delivery or flag that needed manual review, or all deliveries that have been in a state for long, and records
 * who resolved it and why. Contract 6.9.
 */
import type { Actor } from '../../domain/audit.ts';
import { findAccountIdOfDelivery, isAccountId, isOrderId } from '../../domain/ids.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { type FlagKey, findFlagKey, findNote, orderIdOf } from '../../domain/inbox/review.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { lockDelivery } from '../../store/inbox/deliveries.ts';
import { deleteReferencesOf } from '../../store/inbox/parked-deliveries.ts';
import {
  type DeliveryToReview,
  listDeliveriesToReview,
  listFlagsOfOrders,
} from '../../store/inbox/review.ts';
import {
  insertResolution,
  lockDeliveriesToReview,
  lockToResolve,
  saveResolvedDeliveries,
} from '../../store/inbox/review-resolutions.ts';
import { readResolutions, subjectOf } from './describe-review.ts';

type ReviewToResolve = {
  /** The id of a delivery or of a flag, as the review list shows it. */
  readonly id: string;
  readonly note: string;
  /** Who resolves it. */
  readonly actor: Actor;
  /** Whoever may act in one account only: what belongs to another does not exist for them. */
  readonly accountId?: string;
};

type ResolvedReview = {
  readonly kind: 'delivery' | 'flag';
  readonly at: Date;
  readonly note: string;
  /** Deliveries that were resolved together with the flag, because nothing else about them needs review. */
  readonly deliveryIds: readonly string[];
};

/** Why nothing was resolved, and a sentence for the operator. */
export type RefusedReview = {
  readonly kind: 'wrong_note' | 'unknown' | 'resolved_before' | 'not_open';
  readonly refusal: string;
};

const noteRefusal: RefusedReview = {
  kind: 'wrong_note',
  refusal: 'The note must have 1 to 1,024 characters.',
};

export async function resolveReview(
  services: Pick<Services, 'database' | 'clock'>,
  request: ReviewToResolve,
): Promise<ResolvedReview | RefusedReview> {
  const note = findNote(request.note);
  if (note === undefined) return noteRefusal;
  const closing = { ...request, note, at: services.clock() };
  const flag = findFlagKey(request.id);
  if (isDisputeEntry(request.id)) {
    const refusal = 'A dispute closes by itself once it is final: answer it at the provider.';
    return { kind: 'not_open', refusal };
  }
  const accountId = flag?.accountId ?? findAccountIdOfDelivery(request.id);
  if (accountId === undefined) {
    return unknown(`"${request.id}" is neither the id of a delivery nor of a flag.`);
  }
  if (request.accountId !== undefined && request.accountId !== accountId) {
    return unknown(`Account ${request.accountId} has nothing with the id ${request.id}.`);
  }
  return services.database.transaction((tx) =>
    flag ? resolveFlag(tx, flag, closing) : resolveDelivery(tx, accountId, closing),
  );
}

/** As the review list writes it: account, order, provider and dispute. */
function isDisputeEntry(id: string): boolean {
  const [accountId = '', orderId = '', provider, disputeId] = id.split('/');
  return isAccountId(accountId) && isOrderId(orderId) && !!provider && !!disputeId;
}

function unknown(refusal: string): RefusedReview {
  return { kind: 'unknown', refusal };
}

function resolvedBefore(what: string): RefusedReview {
  return { kind: 'resolved_before', refusal: `${what} was resolved before.` };
}

type Closing = ReviewToResolve & { readonly at: Date };

async function resolveDelivery(
  tx: Transaction,
  accountId: string,
  { id, at, actor, note }: Closing,
): Promise<ResolvedReview | RefusedReview> {
  const delivery = await lockDelivery(tx, accountId, id);
  if (!delivery) return unknown(`There is no delivery ${id}.`);
  const { state } = delivery;
  if (state === 'resolved') return resolvedBefore(`Delivery ${id}`);
  if (state !== 'needs_review' && state !== 'dead') {
    const rule = 'only one that is needs_review or dead can be resolved';
    return { kind: 'not_open', refusal: `Delivery ${id} is ${state}: ${rule}.` };
  }
  await saveResolved(tx, accountId, state, [delivery], { at, actor, note });
  return { kind: 'delivery', at, note, deliveryIds: [id] };
}

/** The deliveries must be locked. */
async function saveResolved(
  tx: Transaction,
  accountId: string,
  state: DeliveryToReview['state'],
  deliveries: readonly Pick<Delivery, 'deliveryId' | 'flags' | 'orderId' | 'provider'>[],
  { at, actor, note }: Pick<Closing, 'at' | 'actor' | 'note'>,
) {
  const ids = deliveries.map(({ deliveryId }) => deliveryId);
  await saveResolvedDeliveries(tx, accountId, ids, at);
  await deleteReferencesOf(tx, accountId, ids);
  const done = deliveries.map(({ deliveryId, flags, orderId, provider }) => {
    const details = { state, flags, order_id: orderId, provider };
    return { accountId, action: 'delivery.resolved', object: deliveryId, note, details } as const;
  });
  await appendAudit(tx, actor, at, done);
}

async function resolveFlag(
  tx: Transaction,
  key: FlagKey,
  { id, at, actor, note }: Closing,
): Promise<ResolvedReview | RefusedReview> {
  const { accountId, subject, flag } = key;
  const orderId = orderIdOf(subject);
  // Deliveries are locked first, as everywhere: the same order of locks avoids deadlocks.
  const deliveries = await lockDeliveriesToReview(tx, accountId, orderId);
  const flagged = await listFlagsOfOrders(tx, accountId, [orderId]);
  const own = flagged.find((entry) => subjectOf(entry) === subject);
  if (!own?.flags.includes(flag)) return unknown(`There is no flag ${flag} on ${subject}.`);
  const isFirst = await insertResolution(tx, { ...key, at, actor: actor.name, note });
  if (!isFirst) return resolvedBefore(`The flag ${flag} on ${subject}`);

  const findResolution = await readResolutions(tx, accountId, flagged);
  const isSettled = (raised: ReviewFlag) => {
    const raisedBy = flagged.filter((entry) => entry.flags.includes(raised));
    return raisedBy.length > 0 && raisedBy.every((entry) => findResolution(entry, raised));
  };
  const deliveryIds = deliveries
    .filter((delivery) => delivery.flags.length > 0 && delivery.flags.every(isSettled))
    .map(({ deliveryId }) => deliveryId);
  await saveResolvedDeliveries(tx, accountId, deliveryIds, at);
  const about = { flag, order_id: orderId, transaction_id: own.transactionId };
  const details = { ...about, deliveries: deliveryIds };
  const action = 'flag.resolved';
  await appendAudit(tx, actor, at, { accountId, action, object: id, note, details });
  return { kind: 'flag', at, note, deliveryIds };
}

type DeliveriesToResolve = {
  readonly state: DeliveryToReview['state'];
  /** Only deliveries that entered the state before this. */
  readonly before: Date;
  readonly accountId: string | undefined;
  readonly note: string;
  readonly actor: Actor;
};

const pageSize = 500;

/**
 * Resolves all deliveries that have been in a state for long, such as dead ones of another business. Each is recorded
 * in the audit log like one that is resolved by its id. In small transactions: if it is interrupted, the rest is
 * resolved by calling it again.
 */
export async function resolveOld(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  request: DeliveriesToResolve,
): Promise<{ readonly resolved: number; readonly note: string } | RefusedReview> {
  const note = findNote(request.note);
  if (note === undefined) return noteRefusal;
  const { state, accountId, before, actor } = request;
  let resolved = 0;
  let after: { readonly accountId: string; readonly id: string } | undefined;
  do {
    const page = { accountId, after, limit: pageSize };
    const listed = await listDeliveriesToReview(database, state, page);
    const old = listed.filter(({ since }) => since < before);
    for (const [owner, own] of Map.groupBy(old, (delivery) => delivery.accountId)) {
      const ids = own.map(({ deliveryId }) => deliveryId);
      const at = clock();
      resolved += await database.transaction(async (tx) => {
        const locked = await lockToResolve(tx, owner, ids, { state, before });
        await saveResolved(tx, owner, state, locked, { at, actor, note });
        return locked.length;
      });
    }
    const last = listed.length === pageSize ? listed.at(-1) : undefined;
    after = last && { accountId: last.accountId, id: last.deliveryId };
  } while (after);
  return { resolved, note };
}
