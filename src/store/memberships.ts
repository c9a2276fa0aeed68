/** Which users belong to which accounts, with their roles. */
import type { Membership, Role } from '../domain/users/role.ts';
import type { OwnAccount } from '../domain/users/session.ts';
import type { Queryable, Transaction } from '../postgres/database.ts';

/** The accounts of a user, by name. */
export async function listAccountsOfUser(
  database: Queryable,
  userId: string,
): Promise<OwnAccount[]> {
  const { rows } = await database.query<OwnAccount>({
    name: 'list-accounts-of-user',
    text: `select m.account_id as "accountId", a.name, m.role, a.suspended_at is not null as "isSuspended"
             from memberships m join accounts a on a.account_id = m.account_id
            where m.user_id = $1 order by a.name, a.account_id`,
    values: [userId],
  });
  return rows;
}

/** All members of an account. The lock ends the race of two owners who remove or demote each other. */
export async function lockMembers(tx: Transaction, accountId: string): Promise<Membership[]> {
  const { rows } = await tx.query<Membership>({
    text: `select account_id as "accountId", user_id as "userId", role from memberships
            where account_id = $1 order by user_id for update`,
    values: [accountId],
  });
  return rows;
}

/** False if the user belongs to the account already. */
export async function insertMembership(
  tx: Transaction,
  { accountId, userId, role }: Membership,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    text: `insert into memberships (account_id, user_id, role, created_at)
           values ($1, $2, $3, $4) on conflict (account_id, user_id) do nothing`,
    values: [accountId, userId, role, now],
  });
  return rowCount === 1;
}

export async function saveRole(
  tx: Transaction,
  { accountId, userId, role }: Membership,
): Promise<void> {
  await tx.query({
    text: 'update memberships set role = $3 where account_id = $1 and user_id = $2',
    values: [accountId, userId, role],
  });
}

export async function deleteMembership(
  tx: Transaction,
  { accountId, userId }: Pick<Membership, 'accountId' | 'userId'>,
): Promise<void> {
  await tx.query({
    text: 'delete from memberships where account_id = $1 and user_id = $2',
    values: [accountId, userId],
  });
}

export type Member = {
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAt: Date;
  readonly hasPassword: boolean;
  readonly passkeys: number;
  /** Null if no session of the user is stored. */
  readonly lastSeenAt: Date | null;
};

const selectMembers = `
  select m.account_id as "accountId", m.user_id as "userId", u.email, m.role,
         m.created_at as "joinedAt", u.password_hash is not null as "hasPassword",
         (select count(*)::int from passkeys p where p.user_id = u.user_id) as passkeys,
         (select max(s.last_seen_at) from sessions s where s.user_id = u.user_id) as "lastSeenAt"
    from memberships m join users u on u.user_id = m.user_id`;

/** By e-mail address. */
export async function listMembers(database: Queryable, accountId: string): Promise<Member[]> {
  const { rows } = await database.query<Member>({
    text: `${selectMembers} where m.account_id = $1 order by u.email`,
    values: [accountId],
  });
  return rows;
}

export async function listAllMembers(database: Queryable): Promise<Member[]> {
  const { rows } = await database.query<Member>({
    text: `${selectMembers} order by u.email, m.account_id`,
  });
  return rows;
}
