/**
 * Uses a one-time link: it makes a user with a password or a passkey, or gives an existing one new credentials after a
 * reset. An invitation never changes the credentials of an existing user: whoever invites has the link too, and could
 * take over the user's other accounts. Such a user signs in and joins (`join-account.ts`). Contract 13.2.
 */

import { ServiceError } from '../../domain/errors.ts';
import { newDashboardUserId } from '../../domain/ids.ts';
import { addSeconds } from '../../domain/time.ts';
import { userLimits } from '../../domain/users/limits.ts';
import { checkPassword } from '../../domain/users/password.ts';
import { actorOf } from '../../domain/users/session.ts';
import type { Transaction } from '../../postgres/database.ts';
import { isListed } from '../../security/common-passwords.ts';
import { digestOfToken } from '../../security/opaque-token.ts';
import type { Passkey } from '../../security/passkeys.ts';
import { hashPassword } from '../../security/passwords.ts';
import type { Services } from '../../services/services.ts';

import { findInvitation, type Invitation, takeInvitation } from '../../store/users/invitations.ts';

import { insertChallenge, insertPasskey } from '../../store/users/passkeys.ts';
import { insertUser, lockUser, savePasswordHash, type User } from '../../store/users/users.ts';
import { auditUser } from './audit-user.ts';
import { becomeMember } from './become-member.ts';
import { loadPasskeys } from './load-passkeys.ts';
import { openSession } from './open-session.ts';
import { type PasskeyResponse, takeSigned, wrongPasskey } from './prove-passkey.ts';
import type { Caller } from './sign-in.ts';
import { rememberVisitor } from './sign-in-attempt.ts';

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

/** What the browser passes to `navigator.credentials.create`. */
export async function offerRegistration(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  token: string,
) {
  const { registrationOptions } = await loadPasskeys();
  const { invitationId, email, userId: known } = await getInvitation(services, token);
  const userId = known ?? newDashboardUserId();
  const options = await registrationOptions(services.settings.publicUrl, { userId, email });
  await insertChallenge(services.database, {
    ...{ challenge: options.challenge, purpose: 'registration', subject: invitationId, userId },
    expiresAt: addSeconds(services.clock(), userLimits.challengeSeconds),
  });
  return options;
}

export async function acceptWithPasskey(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  token: string,
  response: PasskeyResponse,
  caller: Caller,
): Promise<string> {
  const { findNewPasskey } = await loadPasskeys();
  const { invitationId: subject } = await getInvitation(services, token);
  const { challenge, userId } = await takeSigned(
    services,
    { purpose: 'registration', subject },
    response,
  );
  const passkey = await findNewPasskey(services.settings.publicUrl, challenge, response);
  if (!passkey || userId === null) throw wrongPasskey();
  return accept(services, token, caller, { userId, passwordHash: null, passkey });
}

export async function getInvitation(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  token: string,
) {
  const invitation = await findInvitation(database, digestOfToken(token), clock());
  if (!invitation) throw unknownInvitation();
  return invitation;
}

export function unknownInvitation(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'This link was used, replaced or withdrawn, or has expired: ask for a new one.',
  );
}

type NewCredentials = Pick<User, 'userId' | 'passwordHash'> & { readonly passkey: Passkey | null };

function accept(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  token: string,
  { formerSecret, device, ...visitor }: Caller,
  { userId, passwordHash, passkey }: NewCredentials,
): Promise<string> {
  return database.transaction(async (tx) => {
    const now = clock();
    const invitation = await takeInvitation(tx, digestOfToken(token), now);
    if (!invitation) throw unknownInvitation();
    const { accountId, email } = invitation;
    const user = { userId, email, passwordHash };
    await saveUser(tx, invitation, user, now);
    if (passkey && !(await insertPasskey(tx, { ...passkey, userId }, now))) throw wrongPasskey();
    const actor = actorOf(user, visitor);
    if (accountId === null) {
      const details = { with: 'reset link' };
      await auditUser(tx, actor, now, { action: 'user.signed_in', userId, details });
    } else {
      const { role } = invitation;
      await becomeMember(tx, actor, now, { accountId, userId, role });
    }
    await rememberVisitor(tx, { email, address: visitor.address, device }, now);
    return openSession(tx, now, { userId, accountId, visitor, formerSecret });
  });
}

async function saveUser(
  tx: Transaction,
  invitation: Invitation,
  user: User,
  now: Date,
): Promise<void> {
  if (invitation.accountId === null) {
    if (!(await lockUser(tx, user.userId))) throw unknownInvitation();
    return savePasswordHash(tx, user.userId, user.passwordHash);
  }
  if (await insertUser(tx, user, now)) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'There is a user with this e-mail address: sign in, then open the link again.',
  );
}
