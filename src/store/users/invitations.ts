/** One-time links: to join an account, or to set new credentials after a reset. Only digests of tokens are stored. */
import type { Role } from '../../domain/users/role.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { countChanges, execute, findRow, listRows } from '../query.ts';

type Invitation = InvitationPurpose & {
  readonly invitationId: string;
  readonly email: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

export type InvitationPurpose =
  | { readonly accountId: string; readonly role: Role; readonly userId: null }
  /** The credentials of this user were reset. */
  | { readonly accountId: null; readonly role: null; readonly userId: string };

const columns = columnsOf('invitationId, email, accountId, role, userId, createdAt, expiresAt');

export async function insertInvitation(
  tx: Transaction,
  invitation: Invitation,
  tokenDigest: Buffer,
) {
  const { invitationId, email, accountId, role, userId, createdAt, expiresAt } = invitation;
  const values = [invitationId, tokenDigest, email, accountId, role, userId, createdAt, expiresAt];
  await execute(tx, values)`
    insert into invitations
      (invitation_id, token_digest, email, account_id, role, user_id, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`;
}

export function findInvitation(database: Queryable, tokenDigest: Buffer, now: Date) {
  return findRow<Invitation>(database, [tokenDigest, now])`
    select ${columns} from invitations where token_digest = $1 and expires_at > $2`;
}

/** Deletes it, which ends the race of several who use one link: one gets it, the others find nothing. */
export function takeInvitation(tx: Transaction, tokenDigest: Buffer, now: Date) {
  return findRow<Invitation>(tx, [tokenDigest, now])`
    delete from invitations where token_digest = $1 and expires_at > $2 returning ${columns}`;
}

/** Those that can still be used, by e-mail address. */
export function listInvitations(database: Queryable, accountId: string, now: Date) {
  return listRows<Invitation>(database, [accountId, now])`
    select ${columns} from invitations where account_id = $1 and expires_at > $2
     order by email, invitation_id`;
}

/** Undefined if the account has no such invitation. */
export function deleteInvitation(tx: Transaction, accountId: string, invitationId: string) {
  return findRow<Invitation>(tx, [accountId, invitationId])`
    delete from invitations where account_id = $1 and invitation_id = $2 returning ${columns}`;
}

/** A new link replaces the earlier ones for the same address. */
export async function deleteInvitationsTo(tx: Transaction, accountId: string, email: string) {
  await execute(tx, [accountId, email])`
    delete from invitations where account_id = $1 and email = $2`;
}

/** Returns how many there were. */
export function deleteInvitationsOf(tx: Transaction, accountId: string) {
  return countChanges(tx, [accountId])`delete from invitations where account_id = $1`;
}

export async function deleteResets(tx: Transaction, userId: string) {
  await execute(tx, [userId])`delete from invitations where user_id = $1`;
}
