/** The passkeys of users, and the challenges that they sign. */
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { changesOne, execute, findRow, listRows } from '../query.ts';

type StoredPasskey = {
  readonly credentialId: string;
  readonly userId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
};

/** The lock ends the race of two uses of one passkey: the second sees the counter of the first. */
export function lockPasskey(tx: Transaction, credentialId: string) {
  return findRow<StoredPasskey>(tx, [credentialId])`
    select ${columnsOf('credentialId, userId, publicKey, counter, transports')}
      from passkeys where credential_id = $1 for update`;
}

/** False if somebody has registered this passkey already. */
export function insertPasskey(
  tx: Transaction,
  { credentialId, userId, publicKey, counter, transports }: StoredPasskey,
  now: Date,
) {
  return changesOne(tx, [credentialId, userId, publicKey, counter, transports, now])`
    insert into passkeys (credential_id, user_id, public_key, counter, transports, created_at)
    values ($1, $2, $3, $4, $5, $6) on conflict (credential_id) do nothing`;
}

export async function saveUse(tx: Transaction, credentialId: string, counter: number, now: Date) {
  await execute(tx, [credentialId, counter, now])`
    update passkeys set counter = $2, last_used_at = $3 where credential_id = $1`;
}

export type ListedPasskey = Pick<StoredPasskey, 'credentialId' | 'transports'> & {
  readonly createdAt: Date;
  /** Null if it was never used since it was added. */
  readonly lastUsedAt: Date | null;
};

/** The oldest first. */
export function listPasskeysOfUser(database: Queryable, userId: string) {
  return listRows<ListedPasskey>(database, [userId])`
    select ${columnsOf('credentialId, transports, createdAt, lastUsedAt')}
      from passkeys where user_id = $1 order by created_at, credential_id`;
}

export async function deletePasskey(tx: Transaction, credentialId: string) {
  await execute(tx, [credentialId])`delete from passkeys where credential_id = $1`;
}

export async function deletePasskeys(tx: Transaction, userId: string) {
  await execute(tx, [userId])`delete from passkeys where user_id = $1`;
}

export type Challenge = {
  readonly challenge: string;
  readonly purpose: 'registration' | 'sign_in' | 'confirmation';
  /** The invitation, the session or, for a further passkey, the user that it belongs to. */
  readonly subject: string | null;
  readonly userId: string | null;
  readonly expiresAt: Date;
};

export async function insertChallenge(
  database: Queryable,
  { challenge, purpose, subject, userId, expiresAt }: Challenge,
) {
  await execute(database, [challenge, purpose, subject, userId, expiresAt])`
    insert into passkey_challenges (challenge, purpose, subject, user_id, expires_at)
    values ($1, $2, $3, $4, $5) on conflict (challenge) do nothing`;
}

/** Deletes the challenge, so that what was signed can be used once. */
export function takeChallenge(
  tx: Transaction,
  { challenge, purpose, subject }: Pick<Challenge, 'challenge' | 'purpose' | 'subject'>,
  now: Date,
) {
  return findRow<{ userId: string | null }>(tx, [challenge, purpose, subject, now])`
    delete from passkey_challenges
     where challenge = $1 and purpose = $2 and subject is not distinct from $3
       and expires_at > $4
    returning user_id as "userId"`;
}
