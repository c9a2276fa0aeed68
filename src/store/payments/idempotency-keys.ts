/** Idempotency keys: the first request made with each key, and its answer. Contract 11.9. */
import type { Database, Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { changesOne, execute, findRow, listRows } from '../query.ts';

export type IdempotencyKey = {
  readonly accountId: string;
  readonly keyDigest: Buffer;
  /** The operation, and for an order token its order: equal keys of two scopes are different keys. */
  readonly scope: string;
};

export type FirstRequest = {
  readonly contentDigest: Buffer;
  readonly transactionId: string;
  /** Null until the request is answered. */
  readonly answer: unknown;
  readonly createdAt: Date;
};

/** A key created before `usedAfter` has expired and counts as unused, even if it is not pruned yet. */
export function findFirstRequest(
  database: Queryable,
  { accountId, keyDigest, scope }: IdempotencyKey,
  usedAfter: Date,
) {
  const values = [accountId, keyDigest, scope, usedAfter];
  return findRow<FirstRequest>(database, values, 'find-first-request')`
    select ${columnsOf('contentDigest, transactionId, answer, createdAt')}
      from idempotency_keys
     where account_id = $1 and key_digest = $2 and scope = $3 and created_at > $4`;
}

/**
 * False when another request has the key. The primary key ends the race of two requests with one key: the second waits
 * until the first transaction ends. After a rollback the key is free again.
 */
export async function claimKey(
  tx: Transaction,
  { accountId, keyDigest, scope }: IdempotencyKey,
  request: Omit<FirstRequest, 'answer'> & { readonly orderId: string },
  usedAfter: Date,
): Promise<boolean> {
  const { contentDigest, orderId, transactionId, createdAt } = request;
  const key = [accountId, keyDigest, scope];
  const values = [...key, contentDigest, orderId, transactionId, createdAt, usedAfter];
  return changesOne(tx, values, 'claim-idempotency-key')`
    insert into idempotency_keys as k
      (account_id, key_digest, scope, content_digest, order_id, transaction_id, created_at)
    values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (account_id, key_digest, scope) do update
       set content_digest = excluded.content_digest, order_id = excluded.order_id,
           transaction_id = excluded.transaction_id, answer = null,
           created_at = excluded.created_at
     where k.created_at <= $8`;
}

/** Does nothing when an answer is stored already: every repeat gets the same answer. */
export async function saveAnswer(
  database: Queryable,
  { accountId, keyDigest, scope }: IdempotencyKey,
  transactionId: string,
  answer: object,
) {
  const values = [accountId, keyDigest, scope, transactionId, JSON.stringify(answer)];
  await execute(database, values, 'save-first-answer')`
    update idempotency_keys set answer = $5
     where account_id = $1 and key_digest = $2 and scope = $3
       and transaction_id = $4 and answer is null`;
}

/**
 * Deletes expired keys, oldest first, except those claimed again since they were listed. Returns how many were listed.
 */
export async function pruneKeys(database: Database, createdBefore: Date, limit: number) {
  const values = [createdBefore, limit];
  const rows = await listRows<{ account_id: string; key_digest: Buffer }>(database, values)`
    select account_id, key_digest from idempotency_keys
     where created_at <= $1 order by created_at limit $2`;
  for (const [accountId, own] of Map.groupBy(rows, ({ account_id }) => account_id)) {
    await execute(database, [accountId, own.map(({ key_digest }) => key_digest), createdBefore])`
      delete from idempotency_keys
       where account_id = $1 and key_digest = any($2::bytea[]) and created_at <= $3`;
  }
  return rows.length;
}
