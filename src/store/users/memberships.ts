/** Which users belong to which accounts, with their roles. */
import type { Membership } from '../../domain/users/role.ts';
import type { OwnAccount } from '../../domain/users/session.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import { changesOne, execute, listRows } from '../query.ts';

/**
 * The accounts of a user, by name. Two statements, because the user's memberships belong to several accounts. An account
 * is never deleted, so each is there.
 */
export async function listAccountsOfUser(database: Queryable, userId: string) {
  type Own = Pick<Membership, 'accountId' | 'role'>;
  const memberships = await listRows<Own>(database, [userId], 'list-memberships-of-user')`
    select account_id as "accountId", role from memberships where user_id = $1`;
  const roles = new Map(memberships.map(({ accountId, role }) => [accountId, role]));
  if (roles.size === 0) return [];
  const values = [[...roles.keys()]];
  const rows = await listRows<Omit<OwnAccount, 'role'>>(database, values, 'list-own-accounts')`
    select account_id as "accountId", name, suspended_at is not null as "isSuspended" from accounts
     where account_id = any($1::text[]) order by name, account_id`;
  return rows.flatMap(({ accountId, name, isSuspended }) => {
    const role = roles.get(accountId);
    return role === undefined ? [] : [{ accountId, name, role, isSuspended }];
  });
}

/** All members of an account. The lock ends the race of two owners who remove or demote each other. */
export function lockMembers(tx: Transaction, accountId: string) {
  return listRows<Membership>(tx, [accountId])`
    select ${columnsOf('accountId, userId, role')} from memberships
     where account_id = $1 order by user_id for update`;
}

/** False if the user belongs to the account already. */
export function insertMembership(
  tx: Transaction,
  { accountId, userId, role }: Membership,
  now: Date,
) {
  return changesOne(tx, [accountId, userId, role, now])`
    insert into memberships (account_id, user_id, role, created_at)
    values ($1, $2, $3, $4) on conflict (account_id, user_id) do nothing`;
}

export async function saveRole(tx: Transaction, { accountId, userId, role }: Membership) {
  await execute(tx, [accountId, userId, role])`
    update memberships set role = $3 where account_id = $1 and user_id = $2`;
}

export async function deleteMembership(
  tx: Transaction,
  { accountId, userId }: Pick<Membership, 'accountId' | 'userId'>,
) {
  await execute(tx, [accountId, userId])`
    delete from memberships where account_id = $1 and user_id = $2`;
}

export type Member = Membership & {
  readonly email: string;
  readonly joinedAt: Date;
  readonly hasPassword: boolean;
  readonly passkeys: number;
  /** Null if no session of the user is stored. */
  readonly lastSeenAt: Date | null;
};

type MemberRow = Membership & Pick<Member, 'joinedAt'>;

const memberColumns = sql`${columnsOf('accountId, userId, role')}, created_at as "joinedAt"`;

/** By e-mail address. */
export async function listMembers(database: Queryable, accountId: string): Promise<Member[]> {
  const rows = await listRows<MemberRow>(database, [accountId])`
    select ${memberColumns} from memberships where account_id = $1`;
  return withUsers(database, rows);
}

export async function listAllMembers(database: Queryable): Promise<Member[]> {
  const rows = await listRows<MemberRow>(database)`
    select ${memberColumns} from memberships order by account_id`;
  return withUsers(database, rows);
}

/** Users belong to no account, so they are read by themselves. One that was deleted in between is no member any more. */
async function withUsers(database: Queryable, members: readonly MemberRow[]): Promise<Member[]> {
  const byUser = Map.groupBy(members, ({ userId }) => userId);
  const values = [[...byUser.keys()]];
  const rows = await listRows<Omit<Member, keyof MemberRow> & { userId: string }>(database, values)`
    select u.user_id as "userId", u.email, u.password_hash is not null as "hasPassword",
           (select count(*)::int from passkeys p where p.user_id = u.user_id) as passkeys,
           (select max(s.last_seen_at) from sessions s where s.user_id = u.user_id) as "lastSeenAt"
      from users u where u.user_id = any($1::text[]) order by u.email`;
  return rows.flatMap((user) =>
    (byUser.get(user.userId) ?? []).map((own) => ({ ...own, ...user })),
  );
}
