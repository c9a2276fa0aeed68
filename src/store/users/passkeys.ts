/** The passkeys of users, and the challenges that they sign. */
import type { Queryable, Transaction } from '../../postgres/database.ts';

type StoredPasskey = {
  readonly credentialId: string;
  readonly userId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
};

type PasskeyRow = {
  credential_id: string;
  user_id: string;
  public_key: Buffer;
  counter: string;
  transports: string[];
};

/** The lock ends the race of two uses of one passkey: the second sees the counter of the first. */
export async function lockPasskey(
  tx: Transaction,
  credentialId: string,
): Promise<StoredPasskey | undefined> {
  const { rows } = await tx.query<PasskeyRow>({
    text: `select credential_id, user_id, public_key, counter, transports from passkeys
            where credential_id = $1 for update`,
    values: [credentialId],
  });
  return rows.map((row) => ({
    credentialId: row.credential_id,
    userId: row.user_id,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: row.transports,
  }))[0];
}

/** False if somebody has registered this passkey already. */
export async function insertPasskey(
  tx: Transaction,
  { credentialId, userId, publicKey, counter, transports }: StoredPasskey,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    text: `insert into passkeys (credential_id, user_id, public_key, counter, transports, created_at)
           values ($1, $2, $3, $4, $5, $6) on conflict (credential_id) do nothing`,
    values: [credentialId, userId, publicKey, counter, transports, now],
  });
  return rowCount === 1;
}

export async function saveUse(
  tx: Transaction,
  credentialId: string,
  counter: number,
  now: Date,
): Promise<void> {
  await tx.query({
    text: 'update passkeys set counter = $2, last_used_at = $3 where credential_id = $1',
    values: [credentialId, counter, now],
  });
}

export type ListedPasskey = Pick<StoredPasskey, 'credentialId' | 'transports'> & {
  readonly createdAt: Date;
  /** Null if it was never used since it was added. */
  readonly lastUsedAt: Date | null;
};

/** The oldest first. */
export async function listPasskeysOfUser(
  database: Queryable,
  userId: string,
): Promise<ListedPasskey[]> {
  const { rows } = await database.query<ListedPasskey>({
    text: `select credential_id as "credentialId", transports, created_at as "createdAt",
                  last_used_at as "lastUsedAt"
             from passkeys where user_id = $1 order by created_at, credential_id`,
    values: [userId],
  });
  return rows;
}

export async function deletePasskey(tx: Transaction, credentialId: string): Promise<void> {
  await tx.query({ text: 'delete from passkeys where credential_id = $1', values: [credentialId] });
}

export async function deletePasskeys(tx: Transaction, userId: string): Promise<void> {
  await tx.query({ text: 'delete from passkeys where user_id = $1', values: [userId] });
}

export type Challenge = {
  readonly challenge: string;
  readonly purpose: 'registration' | 'sign_in' | 'confirmation';
  /** The invitation, the session or, for a further passkey, the user that it belongs to. */
  readonly subject: string | null;
  readonly userId: string | null;
  readonly expiresAt: Date;
};

export async function insertChallenge(database: Queryable, challenge: Challenge): Promise<void> {
  await database.query({
    text: `insert into passkey_challenges (challenge, purpose, subject, user_id, expires_at)
           values ($1, $2, $3, $4, $5) on conflict (challenge) do nothing`,
    values: [
      ...[challenge.challenge, challenge.purpose, challenge.subject],
      ...[challenge.userId, challenge.expiresAt],
    ],
  });
}

/** Deletes the challenge, so that what was signed can be used once. */
export async function takeChallenge(
  tx: Transaction,
  { challenge, purpose, subject }: Pick<Challenge, 'challenge' | 'purpose' | 'subject'>,
  now: Date,
): Promise<Pick<Challenge, 'userId'> | undefined> {
  const { rows } = await tx.query<{ userId: string | null }>({
    text: `delete from passkey_challenges
            where challenge = $1 and purpose = $2 and subject is not distinct from $3
              and expires_at > $4
           returning user_id as "userId"`,
    values: [challenge, purpose, subject, now],
  });
  return rows[0];
}
