/** A signed-in user uses an invitation to a further account. Their session gets a new secret with the new rights. */

import { ServiceError } from '../../domain/errors.ts';
import { actorOf, type SignedIn, type Visitor } from '../../domain/users/session.ts';
import { digestOfToken } from '../../security/opaque-token.ts';
import type { Services } from '../../services/services.ts';

import { takeInvitation } from '../../store/users/invitations.ts';

import { saveChosenAccount } from '../../store/users/sessions.ts';
import { lockUser } from '../../store/users/users.ts';
import { unknownInvitation } from './accept-invitation.ts';
import { becomeMember } from './become-member.ts';
import { renew } from './confirm-session.ts';

/** Returns the new secret of the session. */
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
    return renew(tx, session.sessionId, session);
  });
}
