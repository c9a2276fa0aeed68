/**
 * Resolves all deliveries that have been in a state for long, such as dead ones of another business. Each is recorded
 * in the audit log like one that is resolved by its id. Contract 6.9.
 */
import { type Actor, auditEntry } from '../../domain/audit.ts';
import { findNote } from '../../domain/inbox/review.ts';
import type { Database } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { appendAudits } from '../../store/accounts/audit.ts';
import { deleteReferencesOf } from '../../store/inbox/parked-deliveries.ts';
import { type DeliveryToReview, listDeliveriesToReview } from '../../store/inbox/review.ts';
import { lockToResolve, saveResolvedDeliveries } from '../../store/inbox/review-resolutions.ts';
import { noteRefusal, type RefusedReview } from './resolve-review.ts';

type DeliveriesToResolve = {
  readonly state: DeliveryToReview['state'];
  /** Only deliveries that entered the state before this. */
  readonly before: Date;
  readonly accountId: string | undefined;
  readonly note: string;
  readonly actor: Actor;
};

const pageSize = 500;

/** In small transactions: if it is interrupted, the rest is resolved by calling it again. */
export async function resolveOld(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  request: DeliveriesToResolve,
): Promise<{ readonly resolved: number; readonly note: string } | RefusedReview> {
  const note = findNote(request.note);
  if (note === undefined) return noteRefusal;
  const { state, accountId, before } = request;
  let resolved = 0;
  let after: { readonly accountId: string; readonly id: string } | undefined;
  do {
    const page = { accountId, after, limit: pageSize };
    const listed = await listDeliveriesToReview(database, state, page);
    const old = listed.filter(({ since }) => since < before);
    for (const [owner, own] of Map.groupBy(old, (delivery) => delivery.accountId)) {
      const ids = own.map(({ deliveryId }) => deliveryId);
      resolved += await resolveBatch(database, owner, ids, { ...request, note, at: clock() });
    }
    const last = listed.length === pageSize ? listed.at(-1) : undefined;
    after = last && { accountId: last.accountId, id: last.deliveryId };
  } while (after);
  return { resolved, note };
}

async function resolveBatch(
  database: Database,
  accountId: string,
  deliveryIds: readonly string[],
  { state, before, note, actor, at }: DeliveriesToResolve & { readonly at: Date },
): Promise<number> {
  return database.transaction(async (tx) => {
    const locked = await lockToResolve(tx, accountId, deliveryIds, { state, before });
    const ids = locked.map(({ deliveryId }) => deliveryId);
    await saveResolvedDeliveries(tx, accountId, ids, at);
    await deleteReferencesOf(tx, accountId, ids);
    await appendAudits(
      tx,
      locked.map(({ deliveryId, flags, orderId, provider }) =>
        auditEntry(actor, at, {
          ...{ accountId, action: 'delivery.resolved', object: deliveryId, note },
          details: { state, flags, order_id: orderId, provider },
        }),
      ),
    );
    return ids.length;
  });
}
