/** Which request came first under an Idempotency-Key, and what was answered. Contract 11.9. */
import type { Queryable, Transaction } from '../postgres/database.ts';

export type KeyName = {
  readonly accountId: string;
  readonly keyDigest: Buffer;
  /** Keys of two scopes never meet. */
  readonly scope: string;
};

export type FirstRequest = {
  readonly contentDigest: Buffer;
  readonly transactionId: string;
  /** Null until it is known. */
  readonly answer: unknown;
  readonly createdAt: Date;
};

type KeyRow = {
  content_digest: Buffer;
  transaction_id: string;
  answer: unknown;
  created_at: Date;
};

/** A key that is older than `usedAfter` is free, whether it was pruned or not. */
export async function findFirstRequest(
  database: Queryable,
  { accountId, keyDigest, scope }: KeyName,
  usedAfter: Date,
): Promise<FirstRequest | undefined> {
  const { rows } = await database.query<KeyRow>({
    name: 'find-first-request',
    text: `select content_digest, transaction_id, answer, created_at from idempotency_keys
            where account_id = $1 and key_digest = $2 and scope = $3 and created_at > $4`,
    values: [accountId, keyDigest, scope, usedAfter],
  });
  const [row] = rows;
  return (
    row && {
      contentDigest: row.content_digest,
      transactionId: row.transaction_id,
      answer: row.answer,
      createdAt: row.created_at,
    }
  );
}

/**
 * False when another request has the key. The row is locked until the transaction ends, so a rival waits for the outcome;
 * when the transaction is rolled back, the key is free again.
 */
export async function takeKey(
  tx: Transaction,
  { accountId, keyDigest, scope }: KeyName,
  request: Omit<FirstRequest, 'answer'> & { readonly orderId: string },
  usedAfter: Date,
): Promise<boolean> {
  const { contentDigest, orderId, transactionId, createdAt } = request;
  const { rowCount } = await tx.query({
    name: 'take-idempotency-key',
    text: `insert into idempotency_keys as k
             (account_id, key_digest, scope, content_digest, order_id, transaction_id, created_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (account_id, key_digest, scope) do update
              set content_digest = excluded.content_digest, order_id = excluded.order_id,
                  transaction_id = excluded.transaction_id, answer = null,
                  created_at = excluded.created_at
            where k.created_at <= $8`,
    values: [
      ...[accountId, keyDigest, scope],
      ...[contentDigest, orderId, transactionId, createdAt, usedAfter],
    ],
  });
  return rowCount === 1;
}

/** The first answer stays. */
export async function saveAnswer(
  database: Queryable,
  { accountId, keyDigest, scope }: KeyName,
  transactionId: string,
  answer: object,
): Promise<void> {
  await database.query({
    name: 'save-first-answer',
    text: `update idempotency_keys set answer = $5
            where account_id = $1 and key_digest = $2 and scope = $3
              and transaction_id = $4 and answer is null`,
    values: [accountId, keyDigest, scope, transactionId, JSON.stringify(answer)],
  });
}
