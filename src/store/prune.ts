/** Forgets by age, in batches so small that nobody waits for them. Keys and states stay for ever. */
import type { Database, Queryable, Transaction } from '../postgres/database.ts';

/** Each is the condition of an index of its own, which holds nothing else. */
const prunable = {
  finished: `state in ('processed', 'stale', 'ignored')`,
  resolved: `state = 'resolved'`,
} as const;

/**
 * Bodies and headers of finished deliveries, the oldest first. One that somebody holds is left for the next
 * time. Returns how many were forgotten.
 */
export async function pruneBodies(
  database: Queryable,
  which: keyof typeof prunable,
  receivedBefore: Date,
  limit: number,
): Promise<number> {
  const { rowCount } = await database.query({
    text: `update deliveries d set body = null, headers = null
             from (select account_id, delivery_id from deliveries
                    where body is not null and ${prunable[which]}
                      and received_at < $1
                    order by received_at limit $2 for update skip locked) old
            where d.account_id = old.account_id and d.delivery_id = old.delivery_id`,
    values: [receivedBefore, limit],
  });
  return rowCount ?? 0;
}

type Named = { readonly account_id: string; readonly delivery_id: string };

/**
 * Deliveries that have been dead for too long: bodies and headers go, and so does what they wait for, so that no order
 * wakes them any more. Returns how many were looked at.
 */
export async function expireDead(
  database: Database,
  { deadBefore, now }: { readonly deadBefore: Date; readonly now: Date },
  limit: number,
): Promise<{ readonly seen: number; readonly expired: number }> {
  const { rows } = await database.query<Named>({
    text: `select account_id, delivery_id from deliveries
            where state = 'dead' and coalesce(finished_at, received_at) < $1
            order by coalesce(finished_at, received_at) limit $2`,
    values: [deadBefore, limit],
  });
  let expired = 0;
  for (const [accountId, own] of Map.groupBy(rows, ({ account_id }) => account_id)) {
    const ids = own.map(({ delivery_id }) => delivery_id);
    expired += await database.transaction((tx) => expire(tx, accountId, ids, deadBefore, now));
  }
  return { seen: rows.length, expired };
}

/** One that somebody holds, or that was tried meanwhile, is left for the next time. */
async function expire(
  tx: Transaction,
  accountId: string,
  deliveryIds: readonly string[],
  deadBefore: Date,
  now: Date,
): Promise<number> {
  const { rows } = await tx.query<Pick<Named, 'delivery_id'>>({
    text: `select delivery_id from deliveries
            where account_id = $1 and delivery_id = any($2::text[])
              and state = 'dead' and coalesce(finished_at, received_at) < $3
              for update skip locked`,
    values: [accountId, deliveryIds, deadBefore],
  });
  const ids = rows.map(({ delivery_id }) => delivery_id);
  await tx.query({
    text: `update deliveries set state = 'expired', body = null, headers = null, finished_at = $3
            where account_id = $1 and delivery_id = any($2::text[])`,
    values: [accountId, ids, now],
  });
  await tx.query({
    text: `delete from delivery_references where account_id = $1 and delivery_id = any($2::text[])`,
    values: [accountId, ids],
  });
  return ids.length;
}

type NamedKey = { readonly account_id: string; readonly key_digest: Buffer };

/** Keys whose time is over, the oldest first; one that was taken anew meanwhile stays. Returns how many were seen. */
export async function pruneKeys(
  database: Database,
  createdBefore: Date,
  limit: number,
): Promise<number> {
  const { rows } = await database.query<NamedKey>({
    text: `select account_id, key_digest from idempotency_keys
            where created_at <= $1 order by created_at limit $2`,
    values: [createdBefore, limit],
  });
  for (const [accountId, own] of Map.groupBy(rows, ({ account_id }) => account_id)) {
    await database.query({
      text: `delete from idempotency_keys
              where account_id = $1 and key_digest = any($2::bytea[]) and created_at <= $3`,
      values: [accountId, own.map(({ key_digest }) => key_digest), createdBefore],
    });
  }
  return rows.length;
}

type Place = { readonly account_id: string; readonly order_id: string; readonly position: number };

const beginning: Place = { account_id: '', order_id: '', position: 0 };

/**
 * Goes on through the history from where the last walk stopped, and begins anew after the end. Returns how
 * many rows it looked at.
 */
export function pruneHistory(
  database: Database,
  happenedBefore: Date,
  limit: number,
): Promise<number> {
  return database.transaction(async (tx) => {
    const place = await lockPlace(tx);
    const { rows } = await tx.query<Place & { is_old: boolean }>({
      text: `select account_id, order_id, position, happened_at < $4 as is_old from history
              where (account_id, order_id, position) > ($1, $2, $3)
              order by account_id, order_id, position limit $5`,
      values: [place.account_id, place.order_id, place.position, happenedBefore, limit],
    });
    await forget(
      tx,
      rows.filter(({ is_old }) => is_old),
    );
    await savePlace(tx, rows.length < limit ? beginning : (rows.at(-1) ?? beginning));
    return rows.length;
  });
}

/** Whether rows of an order's history were forgotten, so that it no longer tells all. */
export async function hasPrunedHistory(
  database: Queryable,
  accountId: string,
  orderId: string,
): Promise<boolean> {
  const { rows } = await database.query<{ is_pruned: boolean | null }>({
    text: `select min(position) > 1 or bool_or(entries::text = '[]') as is_pruned
             from history where account_id = $1 and order_id = $2`,
    values: [accountId, orderId],
  });
  return rows[0]?.is_pruned ?? false;
}

/** The last row of an order stays, emptied: positions are counted on from it. */
async function forget(tx: Transaction, old: readonly Place[]): Promise<void> {
  if (old.length === 0) return;
  const values = [
    old.map(({ account_id }) => account_id),
    old.map(({ order_id }) => order_id),
    old.map(({ position }) => position),
  ];
  const named = `(h.account_id, h.order_id, h.position) in
                 (select * from unnest($1::text[], $2::text[], $3::integer[]))`;
  await tx.query({
    text: `delete from history h where ${named}
              and exists (select from history later
                           where later.account_id = h.account_id and later.order_id = h.order_id
                             and later.position > h.position)`,
    values,
  });
  await tx.query({
    text: `update history h set entries = '[]' where ${named} and entries::text <> '[]'`,
    values,
  });
}

/** Two walks at once would look at the same rows. */
async function lockPlace(tx: Transaction): Promise<Place> {
  const { rows } = await tx.query<Place>({
    text: `select account_id, order_id, position from sweep_cursors where name = 'history' for update`,
  });
  return rows[0] ?? beginning;
}

async function savePlace(tx: Transaction, place: Place): Promise<void> {
  await tx.query({
    text: `insert into sweep_cursors (name, account_id, order_id, position)
           values ('history', $1, $2, $3)
           on conflict (name) do update set account_id = excluded.account_id,
             order_id = excluded.order_id, position = excluded.position`,
    values: [place.account_id, place.order_id, place.position],
  });
}
