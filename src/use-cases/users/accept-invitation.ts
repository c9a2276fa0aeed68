/**
 * Uses a one-time link: it makes a user with a password or a passkey, or gives an existing one new credentials after a
 * reset. An invitation never changes the credentials of an existing user: whoever invites has the link too, and could
 * take over the user's other accounts. Such a user signs in and joins (`joinAccount`). Contract 13.2.
 */
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newDashboardUserId } from '../../domain/ids.ts';
import { checkPassword } from '../../domain/users/password.ts';
import type { Membership } from '../../domain/users/role.ts';
import { actorOf, type SignedIn, type Visitor } from '../../domain/users/session.ts';
import type { Transaction } from '../../postgres/database.ts';
import { isListed } from '../../security/common-passwords.ts';
import { digestOfToken } from '../../security/opaque-token.ts';
import type { Passkey } from '../../security/passkeys.ts';
import { hashPassword } from '../../security/passwords.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { findInvitation, takeInvitation } from '../../store/users/invitations.ts';
import { insertMembership, listAccountsOfUser } from '../../store/users/memberships.ts';
import { insertPasskey } from '../../store/users/passkeys.ts';
import { saveChosenAccount } from '../../store/users/sessions.ts';
import { insertUser, lockUser, savePasswordHash, type User } from '../../store/users/users.ts';
import { auditUser } from './audit-user.ts';
import { renew } from './confirm-session.ts';
import {
  offerNewPasskey,
  type PasskeyResponse,
  proveNewPasskey,
  wrongPasskey,
} from './prove-passkey.ts';
import { type Caller, openSession } from './sessions.ts';

/** Returns the secret of a new session. */
export async function acceptWithPassword(
  services: Pick<Services, 'database' | 'clock'>,
  token: string,
  password: string,
  caller: Caller,
): Promise<string> {
  const { email, userId } = await getInvitation(services, token);
  const passwordHash = await hashPassword(checkPassword(password, email, isListed));
  const id = userId ?? newDashboardUserId();
  return accept(services, token, caller, { userId: id, passwordHash, passkey: null });
}

export async function offerRegistration(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  token: string,
) {
  const { invitationId, email, userId: known } = await getInvitation(services, token);
  const userId = known ?? newDashboardUserId();
  return offerNewPasskey(services, invitationId, { userId, email });
}

export async function acceptWithPasskey(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  token: string,
  response: PasskeyResponse,
  caller: Caller,
): Promise<string> {
  const { invitationId } = await getInvitation(services, token);
  const { userId, ...passkey } = await proveNewPasskey(services, invitationId, response);
  return accept(services, token, caller, { userId, passwordHash: null, passkey });
}

async function getInvitation(services: Pick<Services, 'database' | 'clock'>, token: string) {
  const { database, clock } = services;
  const invitation = await findInvitation(database, digestOfToken(token), clock());
  if (!invitation) throw unknownInvitation();
  return invitation;
}

function unknownInvitation(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'This link was used, replaced or withdrawn, or has expired: ask for a new one.',
  );
}

function accept(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  token: string,
  caller: Caller,
  { userId, passwordHash, passkey }: Omit<User, 'email'> & { readonly passkey: Passkey | null },
): Promise<string> {
  return database.transaction(async (tx) => {
    const now = clock();
    const invitation = await takeInvitation(tx, digestOfToken(token), now);
    if (!invitation) throw unknownInvitation();
    const { accountId, email, role } = invitation;
    const user = { userId, email, passwordHash };
    if (accountId === null) {
      if (!(await lockUser(tx, userId))) throw unknownInvitation();
      await savePasswordHash(tx, userId, passwordHash);
    } else if (!(await insertUser(tx, user, now))) {
      throw new ServiceError(
        'PERMISSION_DENIED',
        'There is a user with this e-mail address: sign in, then open the link again.',
      );
    }
    if (passkey && !(await insertPasskey(tx, { ...passkey, userId }, now))) throw wrongPasskey();
    const actor = actorOf(user, caller);
    if (accountId !== null) await becomeMember(tx, actor, now, { accountId, userId, role });
    else await auditUser(tx, actor, now, 'user.signed_in', userId, { with: 'reset link' });
    return openSession(tx, now, user, accountId, caller);
  });
}

/** A signed-in user uses an invitation to a further account. Returns the new secret of the session, with the new rights. */
export async function joinAccount(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { session, user }: SignedIn,
  token: string,
  visitor: Visitor,
): Promise<string> {
  return database.transaction(async (tx) => {
    const now = clock();
    // Removed from their last account meanwhile, the user no longer exists.
    if (!(await lockUser(tx, user.userId))) throw unknownInvitation();
    const invitation = await takeInvitation(tx, digestOfToken(token), now);
    if (!invitation || invitation.accountId === null) throw unknownInvitation();
    const { accountId, role, email } = invitation;
    if (email !== user.email) {
      throw new ServiceError(
        'PERMISSION_DENIED',
        `This link is for ${email}: sign in with that address.`,
      );
    }
    const { userId } = user;
    await becomeMember(tx, actorOf(user, visitor), now, { accountId, userId, role });
    await saveChosenAccount(tx, session.sessionId, accountId);
    return renew(tx, session.sessionId, session.confirmedAt);
  });
}

async function becomeMember(
  tx: Transaction,
  actor: Actor,
  now: Date,
  { accountId, userId, role }: Membership,
): Promise<void> {
  // Somebody who is a member keeps their role.
  if (!(await insertMembership(tx, { accountId, userId, role }, now))) return;
  const accounts = await listAccountsOfUser(tx, userId);
  // Nothing of a suspended account changes. The link can be used afterwards.
  if (accounts.some((own) => own.accountId === accountId && own.isSuspended)) {
    throw new ServiceError('ACCOUNT_SUSPENDED');
  }
  const details = { role };
  await appendAudit(tx, actor, now, { accountId, action: 'user.joined', object: userId, details });
}

/**
 * What a one-time link is for, before it is used; without an account, for new credentials after a reset. Answers the
 * same whether the address has a user or not. The person who invites has the link too, and must not learn
 * which addresses have users at other accounts. Contract 13.2.
 */
export async function lookAtInvitation(
  services: Pick<Services, 'database' | 'accounts' | 'clock'>,
  token: string,
) {
  const { email, expiresAt, accountId, role } = await getInvitation(services, token);
  if (accountId === null) return { email, expiresAt, account: null };
  const name = (await services.accounts.find(accountId))?.name ?? '';
  return { email, expiresAt, account: { name, role } };
}
