/** The people of an account: lists, changes and removes members. An account keeps at least one owner. Contract 13.2. */
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isLastOwner, type Membership, type Role } from '../../domain/users/role.ts';
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

/** With null instead of a role, the member is removed. */
export async function changeRole(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  { accountId, userId }: Pick<Membership, 'accountId' | 'userId'>,
  role: Role | null,
): Promise<void> {
  await database.transaction(async (tx) => {
    const members = await lockMembers(tx, accountId);
    const from = members.find((entry) => entry.userId === userId)?.role;
    if (!from) throw new ServiceError('NOT_FOUND', 'The account has no such member.');
    if (role !== 'owner' && isLastOwner(members, userId)) {
      throw new ServiceError(
        'PERMISSION_DENIED',
        'This is the only owner of the account: make somebody else an owner first.',
      );
    }
    if (from === role) return;
    if (role) await saveRole(tx, { accountId, userId, role });
    else await deleteMembership(tx, { accountId, userId });
    // Somebody who was an owner may have kept a link, and would come back with it.
    const withdrawn = from === 'owner' ? await deleteInvitationsOf(tx, accountId) : 0;
    const email = (await lockUser(tx, userId))?.email;
    // A user of no account is deleted, with sessions, password and passkeys: nothing personal is kept without a reason.
    const isLast = !role && (await listAccountsOfUser(tx, userId)).length === 0;
    if (isLast) await deleteUser(tx, userId);
    const details = {
      ...(role ? { email, from, to: role } : { email, role: from }),
      ...(withdrawn > 0 && { withdrawn_invitations: withdrawn }),
    };
    const action = role ? 'user.role_changed' : 'user.removed';
    await appendAudit(tx, actor, clock(), { accountId, action, object: userId, details });
  });
}

export async function listTeam(services: Pick<Services, 'database' | 'clock'>, accountId: string) {
  const { database, clock } = services;
  return {
    members: await listMembers(database, accountId),
    invitations: await listInvitations(database, accountId, clock()),
  };
}
