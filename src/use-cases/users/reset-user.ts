/** For a user who cannot sign in, or whose credentials leaked: ends all sessions, and makes a link for new credentials. */
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { readUserEmail } from '../../domain/users/email.ts';
import type { Services } from '../../services/services.ts';
import { deleteResets } from '../../store/users/invitations.ts';
import { deletePasskeys } from '../../store/users/passkeys.ts';
import { deleteSessionsOfUser } from '../../store/users/sessions.ts';
import { findUserByEmail, lockUser, savePasswordHash } from '../../store/users/users.ts';
import { auditUser } from './audit-user.ts';
import { storeInvitation } from './invite-user.ts';
import { forgetFailures } from './prove-password.ts';

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
