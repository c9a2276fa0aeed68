/** Which users belong to which accounts, with their roles. */
import type { Membership, Role } from '../../domain/users/role.ts';
import type { OwnAccount } from '../../domain/users/session.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { changesOne, listRows } from '../query.ts';

/**
 * The accounts of a user, by name. Two statements, because the user's memberships belong to several accounts. An account
 * is never deleted, so each is there.
 */
export async function listAccountsOfUser(
  database: Queryable,
  userId: string,
): Promise<OwnAccount[]> {
  const memberships = await database.query<Pick<Membership, 'accountId' | 'role'>>({
    name: 'list-memberships-of-user',
    text: `select account_id as "accountId", role from memberships where user_id = $1`,
    values: [userId],
  });
  const roles = new Map(memberships.rows.map(({ accountId, role }) => [accountId, role]));
  if (roles.size === 0) return [];
  const { rows } = await database.query<Omit<OwnAccount, 'role'>>({
    name: 'list-own-accounts',
    text: `select account_id as "accountId", name, suspended_at is not null as "isSuspended" from accounts
            where account_id = any($1::text[]) order by name, account_id`,
    values: [[...roles.keys()]],
  });
  return rows.flatMap(({ accountId, name, isSuspended }) => {
    const role = roles.get(accountId);
    return role === undefined ? [] : [{ accountId, name, role, isSuspended }];
  });
}

/** All members of an account. The lock ends the race of two owners who remove or demote each other. */
export function lockMembers(tx: Transaction, accountId: string) {
  return listRows<Membership>(tx, {
    text: `select account_id as "accountId", user_id as "userId", role from memberships
            where account_id = $1 order by user_id for update`,
    values: [accountId],
  });
}

/** False if the user belongs to the account already. */
export function insertMembership(
  tx: Transaction,
  { accountId, userId, role }: Membership,
  now: Date,
) {
  return changesOne(tx, {
    text: `insert into memberships (account_id, user_id, role, created_at)
           values ($1, $2, $3, $4) on conflict (account_id, user_id) do nothing`,
    values: [accountId, userId, role, now],
  });
}

export async function saveRole(tx: Transaction, { accountId, userId, role }: Membership) {
  await tx.query({
    text: 'update memberships set role = $3 where account_id = $1 and user_id = $2',
    values: [accountId, userId, role],
  });
}

export async function deleteMembership(
  tx: Transaction,
  { accountId, userId }: Pick<Membership, 'accountId' | 'userId'>,
) {
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

type MemberRow = Pick<Member, 'accountId' | 'userId' | 'role' | 'joinedAt'>;

const memberColumns =
  'account_id as "accountId", user_id as "userId", role, created_at as "joinedAt"';

/** By e-mail address. */
export async function listMembers(database: Queryable, accountId: string): Promise<Member[]> {
  const { rows } = await database.query<MemberRow>({
    text: `select ${memberColumns} from memberships where account_id = $1`,
    values: [accountId],
  });
  return withUsers(database, rows);
}

export async function listAllMembers(database: Queryable): Promise<Member[]> {
  const { rows } = await database.query<MemberRow>({
    text: `select ${memberColumns} from memberships order by account_id`,
  });
  return withUsers(database, rows);
}

/** Users belong to no account, so they are read by themselves. One that was deleted in between is no member any more. */
async function withUsers(database: Queryable, members: readonly MemberRow[]): Promise<Member[]> {
  const byUser = Map.groupBy(members, ({ userId }) => userId);
  const { rows } = await database.query<Omit<Member, keyof MemberRow> & { userId: string }>({
    text: `select u.user_id as "userId", u.email, u.password_hash is not null as "hasPassword",
                  (select count(*)::int from passkeys p where p.user_id = u.user_id) as passkeys,
                  (select max(s.last_seen_at) from sessions s where s.user_id = u.user_id) as "lastSeenAt"
             from users u where u.user_id = any($1::text[]) order by u.email`,
    values: [[...byUser.keys()]],
  });
  return rows.flatMap((user) =>
    (byUser.get(user.userId) ?? []).map((own) => ({ ...own, ...user })),
  );
}
