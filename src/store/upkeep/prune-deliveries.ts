/** Prunes the inbox by age, in small batches: bodies of finished deliveries, and deliveries that stayed dead. */
import type { DeliveryKey } from '../../domain/inbox/delivery.ts';
import type { Database, Transaction } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import { deleteReferencesOf } from '../inbox/parked-deliveries.ts';
import { defineAccountRows } from '../per-account.ts';
import { execute, listRows } from '../query.ts';

/** Each condition equals that of a partial index, so that finding old rows does not read the table. */
export const prunable = {
  finished: sql`state in ('processed', 'stale', 'ignored')`,
  resolved: sql`state = 'resolved'`,
} as const;

const deliveryIds = defineAccountRows<DeliveryKey>({ text: ['deliveryId'] });

/**
 * Removes bodies and headers of finished deliveries, oldest first, and skips locked rows. The row stays with its key, so
 * that a repeat is recognised for ever. Returns how many were pruned.
 */
export async function pruneBodies(
  database: Database,
  which: keyof typeof prunable,
  receivedBefore: Date,
  limit: number,
): Promise<number> {
  const isPrunable = sql`body is not null and ${prunable[which]}`;
  const rows = await listRows<DeliveryKey>(database, [receivedBefore, limit])`
    select ${columnsOf('accountId, deliveryId')} from deliveries
     where ${isPrunable} and received_at < $1 order by received_at limit $2`;
  // One that was retried since it was listed is not finished any more. The time at which it was received stays.
  const pruned = await database.transaction(
    (tx) =>
      deliveryIds.query(tx, rows, `prune-${which}-bodies`)`
      update deliveries set body = null, headers = null
       where account_id = $1 and delivery_id in (
         select delivery_id from deliveries
          where account_id = $1 and delivery_id = any($2::text[]) and ${isPrunable}
            for update skip locked)
      returning delivery_id`,
  );
  return pruned.length;
}

/**
 * Expires deliveries that have been dead for too long. Bodies and headers are removed, and so are the references they
 * wait for, so that no order unparks them any more. `seen` counts the listed deliveries.
 */
export async function expireDead(
  database: Database,
  { deadBefore, now }: { readonly deadBefore: Date; readonly now: Date },
  limit: number,
): Promise<{ readonly seen: number; readonly expired: number }> {
  const values = [deadBefore, limit];
  const rows = await listRows<{ account_id: string; delivery_id: string }>(database, values)`
    select account_id, delivery_id from deliveries
     where state = 'dead' and coalesce(finished_at, received_at) < $1
     order by coalesce(finished_at, received_at) limit $2`;
  let expired = 0;
  for (const [accountId, own] of Map.groupBy(rows, ({ account_id }) => account_id)) {
    const ids = own.map(({ delivery_id }) => delivery_id);
    expired += await database.transaction((tx) => expire(tx, accountId, ids, deadBefore, now));
  }
  return { seen: rows.length, expired };
}

/** Skips locked rows, and deliveries that were retried since they were listed. */
async function expire(
  tx: Transaction,
  accountId: string,
  deliveryIds: readonly string[],
  deadBefore: Date,
  now: Date,
): Promise<number> {
  const rows = await listRows<{ delivery_id: string }>(tx, [accountId, deliveryIds, deadBefore])`
    select delivery_id from deliveries
     where account_id = $1 and delivery_id = any($2::text[])
       and state = 'dead' and coalesce(finished_at, received_at) < $3
       for update skip locked`;
  const ids = rows.map(({ delivery_id }) => delivery_id);
  await execute(tx, [accountId, ids, now])`
    update deliveries set state = 'expired', body = null, headers = null, finished_at = $3
     where account_id = $1 and delivery_id = any($2::text[])`;
  await deleteReferencesOf(tx, accountId, ids);
  return ids.length;
}
