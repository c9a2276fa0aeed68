/** Users of the dashboard. A user may belong to several accounts (`memberships.ts`). */
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf, word } from '../../postgres/sql.ts';
import { changesOne, execute, findRow } from '../query.ts';

export type User = {
  readonly userId: string;
  readonly email: string;
  readonly passwordHash: string | null;
};

const columns = columnsOf('userId, email, passwordHash');

export function findUserByEmail(database: Queryable, email: string) {
  return findRow<User>(database, [email])`select ${columns} from users where email = $1`;
}

/** The lock ends the races between a sign-in, a reset, and the removal from the last account. */
export function lockUser(tx: Transaction, userId: string) {
  return findRow<User>(tx, [userId])`select ${columns} from users where user_id = $1 for update`;
}

/** False if there is a user with this address. */
export function insertUser(tx: Transaction, { userId, email, passwordHash }: User, now: Date) {
  return changesOne(tx, [userId, email, passwordHash, now])`
    insert into users (user_id, email, password_hash, created_at)
    values ($1, $2, $3, $4) on conflict (email) do nothing`;
}

export async function savePasswordHash(
  tx: Transaction,
  userId: string,
  passwordHash: string | null,
) {
  await execute(tx, [userId, passwordHash])`update users set password_hash = $2 where user_id = $1`;
}

/** With everything by which the user could sign in. */
export async function deleteUser(tx: Transaction, userId: string) {
  for (const table of ['sessions', 'passkeys', 'invitations', 'users'] as const) {
    await execute(tx, [userId])`delete from ${word(table)} where user_id = $1`;
  }
}
