/** Users of the dashboard. A user may belong to several accounts (`memberships.ts`). */
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { changesOne, findRow } from '../query.ts';

export type User = {
  readonly userId: string;
  readonly email: string;
  readonly passwordHash: string | null;
};

const columns = 'user_id as "userId", email, password_hash as "passwordHash"';

export function findUserByEmail(database: Queryable, email: string) {
  return findRow<User>(database, {
    text: `select ${columns} from users where email = $1`,
    values: [email],
  });
}

/** The lock ends the races between a sign-in, a reset, and the removal from the last account. */
export function lockUser(tx: Transaction, userId: string) {
  return findRow<User>(tx, {
    text: `select ${columns} from users where user_id = $1 for update`,
    values: [userId],
  });
}

/** False if there is a user with this address. */
export function insertUser(tx: Transaction, { userId, email, passwordHash }: User, now: Date) {
  return changesOne(tx, {
    text: `insert into users (user_id, email, password_hash, created_at)
           values ($1, $2, $3, $4) on conflict (email) do nothing`,
    values: [userId, email, passwordHash, now],
  });
}

export async function savePasswordHash(
  tx: Transaction,
  userId: string,
  passwordHash: string | null,
) {
  await tx.query({
    text: 'update users set password_hash = $2 where user_id = $1',
    values: [userId, passwordHash],
  });
}

/** With everything by which the user could sign in. */
export async function deleteUser(tx: Transaction, userId: string) {
  for (const table of ['sessions', 'passkeys', 'invitations', 'users']) {
    await tx.query({ text: `delete from ${table} where user_id = $1`, values: [userId] });
  }
}
