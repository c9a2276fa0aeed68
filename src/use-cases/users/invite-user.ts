/** One-time links, each shown once: invites a person to an account, or lets a user choose new credentials. Contract 13.2. */
import type { Actor } from '../../domain/audit.ts';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { newInvitationId } from '../../domain/ids.ts';
import { addSeconds } from '../../domain/time.ts';
import { readUserEmail } from '../../domain/users/email.ts';
import { userLimits } from '../../domain/users/limits.ts';
import type { Role } from '../../domain/users/role.ts';
import { dashboardUrl } from '../../domain/users/site.ts';
import type { Transaction } from '../../postgres/database.ts';
import { digestOfToken, newOpaqueToken } from '../../security/opaque-token.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import {
  deleteInvitation,
  deleteInvitationsTo,
  deleteResets,
  type InvitationPurpose,
  insertInvitation,
  listInvitations,
} from '../../store/users/invitations.ts';
import { lockMembers } from '../../store/users/memberships.ts';
import { deletePasskeys } from '../../store/users/passkeys.ts';
import { deleteSessionsOfUser } from '../../store/users/sessions.ts';
import { findUserByEmail, lockUser, savePasswordHash } from '../../store/users/users.ts';
import { unknownAccount } from '../accounts/rotate-secret.ts';
import { auditUser } from './audit-user.ts';
import { forgetFailures } from './prove-password.ts';

export type NewInvitation = Awaited<ReturnType<typeof storeInvitation>>;

export async function inviteUser(
  services: Pick<Services, 'database' | 'accounts' | 'clock' | 'settings'>,
  actor: Actor,
  request: { readonly accountId: string; readonly email: string; readonly role: Role },
) {
  const { database, clock, accounts, settings } = services;
  const { accountId, role } = request;
  const email = readUserEmail(request.email);
  if (!(await accounts.find(accountId))) throw unknownAccount(accountId);
  const now = clock();
  return database.transaction(async (tx) => {
    const members = await lockMembers(tx, accountId);
    const user = await findUserByEmail(tx, email);
    if (members.some(({ userId }) => userId === user?.userId)) {
      refuseField('email', 'belongs to a member of this account');
    }
    await deleteInvitationsTo(tx, accountId, email);
    const open = await listInvitations(tx, accountId, now);
    if (open.length >= userLimits.invitationsMax) {
      refuseField('account', `has ${open.length} open invitations, and that is the limit`);
    }
    const purpose = { accountId, role, userId: null };
    const invitation = await storeInvitation(tx, settings, now, email, purpose);
    const { invitationId: object } = invitation;
    const details = { email, role };
    await appendAudit(tx, actor, now, { accountId, action: 'user.invited', object, details });
    return { ...invitation, role };
  });
}

/** The link takes effect when it is used, so it can be withdrawn until then. */
export async function withdrawInvitation(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  { accountId, invitationId }: { readonly accountId: string; readonly invitationId: string },
): Promise<void> {
  await database.transaction(async (tx) => {
    const withdrawn = await deleteInvitation(tx, accountId, invitationId);
    if (!withdrawn) throw new ServiceError('NOT_FOUND', 'There is no such invitation.');
    const details = { email: withdrawn.email, role: withdrawn.role };
    const action = 'user.uninvited';
    await appendAudit(tx, actor, clock(), { accountId, action, object: invitationId, details });
  });
}

/** For a user who cannot sign in, or whose credentials leaked: ends all sessions, and makes a link for new credentials. */
export async function resetUser(
  { database, clock, settings }: Pick<Services, 'database' | 'clock' | 'settings'>,
  actor: Actor,
  emailText: string,
) {
  const email = readUserEmail(emailText);
  const now = clock();
  return database.transaction(async (tx) => {
    const found = await findUserByEmail(tx, email);
    const user = found && (await lockUser(tx, found.userId));
    if (!user) {
      const message = 'There is no user with this e-mail address: see "user list".';
      throw new ServiceError('NOT_FOUND', message);
    }
    const { userId } = user;
    await savePasswordHash(tx, userId, null);
    await deletePasskeys(tx, userId);
    const endedSessions = await deleteSessionsOfUser(tx, userId, null);
    await forgetFailures(tx, email);
    await deleteResets(tx, userId);
    const purpose = { accountId: null, role: null, userId };
    const invitation = await storeInvitation(tx, settings, now, email, purpose);
    await auditUser(tx, actor, now, 'user.reset', userId, { email });
    return { ...invitation, userId, endedSessions };
  });
}

/** Whoever has the link can use it, once. */
async function storeInvitation(
  tx: Transaction,
  { publicUrl }: Services['settings'],
  now: Date,
  email: string,
  purpose: InvitationPurpose,
) {
  const token = newOpaqueToken();
  const invitationId = newInvitationId();
  const expiresAt = addSeconds(now, userLimits.invitationSeconds);
  const stored = { ...purpose, email, invitationId, createdAt: now, expiresAt };
  await insertInvitation(tx, stored, digestOfToken(token));
  const link = `${dashboardUrl(publicUrl)}/invitation/${token}`;
  return { invitationId, email, link, expiresAt };
}
