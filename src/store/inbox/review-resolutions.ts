/** The review flags that operators resolved, and the deliveries that are resolved with them. */
import type { Delivery, DeliveryState } from '../../domain/inbox/delivery.ts';
import type { FlagKey, ReviewResolution } from '../../domain/inbox/review.ts';
import type { Queryable, Statement, Transaction } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { changesOne, execute, listRows } from '../query.ts';

export async function listResolutions(
  database: Queryable,
  accountId: string,
  subjects: readonly string[],
): Promise<ReviewResolution[]> {
  if (subjects.length === 0) return [];
  return (await database.query<ReviewResolution>(selectResolutions(accountId, subjects))).rows;
}

export function selectResolutions(accountId: string, subjects: readonly string[]): Statement {
  return {
    text: `select subject, flag, resolved_at as at, actor, note from review_resolutions
            where account_id = $1 and subject = any($2::text[])`,
    values: [accountId, subjects],
  };
}

/** False when the flag is resolved already. The primary key ends the race of two operators. */
export function insertResolution(
  tx: Transaction,
  { accountId, subject, flag, at, actor, note }: FlagKey & ReviewResolution,
) {
  return changesOne(tx, [accountId, subject, flag, at, actor, note])`
    insert into review_resolutions (account_id, subject, flag, resolved_at, actor, note)
    values ($1, $2, $3, $4, $5, $6) on conflict (account_id, subject, flag) do nothing`;
}

/** The deliveries of an order that need review. The lock ends the race with an operator who resolves one by its id. */
export function lockDeliveriesToReview(tx: Transaction, accountId: string, orderId: string) {
  type Locked = Pick<LockedToResolve, 'deliveryId' | 'flags'>;
  return listRows<Locked>(tx, [accountId, orderId])`
    select ${columnsOf('deliveryId, flags')} from deliveries
     where account_id = $1 and order_id = $2 and state = 'needs_review'
     order by delivery_id for update`;
}

/** The deliveries must be locked, and be dead or in need of review. */
export async function saveResolvedDeliveries(
  tx: Transaction,
  accountId: string,
  deliveryIds: readonly string[],
  at: Date,
) {
  if (deliveryIds.length === 0) return;
  await execute(tx, [accountId, deliveryIds, at])`
    update deliveries set state = 'resolved', next_try_at = null, finished_at = $3
     where account_id = $1 and delivery_id = any($2::text[])`;
}

type LockedToResolve = Pick<Delivery, 'deliveryId' | 'flags' | 'orderId' | 'provider'>;

/** Skips deliveries that are locked, or have left the state or entered it again since they were listed. */
export function lockToResolve(
  tx: Transaction,
  accountId: string,
  deliveryIds: readonly string[],
  { state, before }: { readonly state: DeliveryState; readonly before: Date },
) {
  return listRows<LockedToResolve>(tx, [accountId, deliveryIds, state, before])`
    select ${columnsOf('deliveryId, flags, orderId, provider')} from deliveries
     where account_id = $1 and delivery_id = any($2::text[])
       and state = $3 and coalesce(finished_at, received_at) < $4
     order by delivery_id for update skip locked`;
}
