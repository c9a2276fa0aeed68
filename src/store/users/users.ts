/** Users of the dashboard. A user may belong to several accounts (`memberships.ts`). */
import type { Queryable, Transaction } from '../../postgres/database.ts';

export type User = {
  readonly userId: string;
  readonly email: string;
  readonly passwordHash: string | null;
};

const columns = 'user_id as "userId", email, password_hash as "passwordHash"';

export async function findUserByEmail(
  database: Queryable,
  email: string,
): Promise<User | undefined> {
  const { rows } = await database.query<User>({
    text: `select ${columns} from users where email = $1`,
    values: [email],
  });
  return rows[0];
}

/** The lock ends the races between a sign-in, a reset, and the removal from the last account. */
export async function lockUser(tx: Transaction, userId: string): Promise<User | undefined> {
  const { rows } = await tx.query<User>({
    text: `select ${columns} from users where user_id = $1 for update`,
    values: [userId],
  });
  return rows[0];
}

/** False if there is a user with this address. */
export async function insertUser(
  tx: Transaction,
  { userId, email, passwordHash }: User,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    text: `insert into users (user_id, email, password_hash, created_at)
           values ($1, $2, $3, $4) on conflict (email) do nothing`,
    values: [userId, email, passwordHash, now],
  });
  return rowCount === 1;
}

export async function savePasswordHash(
  tx: Transaction,
  userId: string,
  passwordHash: string | null,
): Promise<void> {
  await tx.query({
    text: 'update users set password_hash = $2 where user_id = $1',
    values: [userId, passwordHash],
  });
}

/** With everything by which the user could sign in. */
export async function deleteUser(tx: Transaction, userId: string): Promise<void> {
  for (const table of ['sessions', 'passkeys', 'invitations', 'users']) {
    await tx.query({ text: `delete from ${table} where user_id = $1`, values: [userId] });
  }
}
