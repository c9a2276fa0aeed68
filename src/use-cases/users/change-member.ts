/** The people of an account: lists, changes and removes members. An account keeps at least one owner. Contract 13.2. */
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isLastOwner, type Membership, type Role } from '../../domain/users/role.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { deleteInvitationsOf, listInvitations } from '../../store/users/invitations.ts';
import {
  deleteMembership,
  listAccountsOfUser,
  listMembers,
  lockMembers,
  saveRole,
} from '../../store/users/memberships.ts';
import { deleteUser, lockUser } from '../../store/users/users.ts';

type MemberKey = Pick<Membership, 'accountId' | 'userId'>;

export async function changeRole(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  key: MemberKey,
  role: Role,
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await lockMember(tx, key, role);
    if (before.role === role) return;
    await saveRole(tx, { ...key, role });
    const withdrawn = await withdrawAfter(tx, before);
    const email = (await lockUser(tx, key.userId))?.email;
    const details = { email, from: before.role, to: role, ...withdrawn };
    const changed = { action: 'user.role_changed', object: key.userId, details } as const;
    await appendAudit(tx, actor, clock(), { ...changed, accountId: key.accountId });
  });
}

/** A user of no account is deleted, with sessions, password and passkeys: nothing personal is kept without a reason. */
export async function removeMember(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  key: MemberKey,
): Promise<void> {
  await database.transaction(async (tx) => {
    const member = await lockMember(tx, key, undefined);
    await deleteMembership(tx, key);
    const withdrawn = await withdrawAfter(tx, member);
    const email = (await lockUser(tx, key.userId))?.email;
    const others = await listAccountsOfUser(tx, key.userId);
    if (others.length === 0) await deleteUser(tx, key.userId);
    const details = { email, role: member.role, ...withdrawn };
    const removed = { action: 'user.removed', object: key.userId, details } as const;
    await appendAudit(tx, actor, clock(), { ...removed, accountId: key.accountId });
  });
}

/** Somebody who was an owner may have kept a link, and would come back with it. */
async function withdrawAfter(tx: Transaction, { accountId, role }: Membership) {
  const count = role === 'owner' ? await deleteInvitationsOf(tx, accountId) : 0;
  return count > 0 ? { withdrawn_invitations: count } : {};
}

async function lockMember(
  tx: Transaction,
  { accountId, userId }: MemberKey,
  newRole: Role | undefined,
): Promise<Membership> {
  const members = await lockMembers(tx, accountId);
  const member = members.find((entry) => entry.userId === userId);
  if (!member) throw new ServiceError('NOT_FOUND', 'The account has no such member.');
  if (newRole !== 'owner' && isLastOwner(members, userId)) {
    throw new ServiceError(
      'PERMISSION_DENIED',
      'This is the only owner of the account: make somebody else an owner first.',
    );
  }
  return member;
}

export async function listTeam(services: Pick<Services, 'database' | 'clock'>, accountId: string) {
  const { database, clock } = services;
  return {
    members: await listMembers(database, accountId),
    invitations: await listInvitations(database, accountId, clock()),
  };
}
