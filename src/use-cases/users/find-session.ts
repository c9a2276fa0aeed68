/** Finds who makes a request of the dashboard. Roles are read with every request, so a change holds at once. */

import { addSeconds } from '../../domain/time.ts';
import { userLimits } from '../../domain/users/limits.ts';
import { decideAccount, isLive, type SignedIn, type Visitor } from '../../domain/users/session.ts';
import { digestOfToken } from '../../security/opaque-token.ts';
import type { Services } from '../../services/services.ts';
import { listAccountsOfUser } from '../../store/users/memberships.ts';
import { findSessionBySecret, saveSeen } from '../../store/users/sessions.ts';

export async function findSession(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  secret: string,
  visitor: Visitor,
): Promise<SignedIn | undefined> {
  const now = clock();
  const found = await findSessionBySecret(database, digestOfToken(secret));
  if (!found || !isLive(found, now)) return undefined;
  const { email, hasPassword, hasPasskey, ...session } = found;
  const accounts = await listAccountsOfUser(database, session.userId);
  if (now >= addSeconds(session.lastSeenAt, userLimits.sessionSeenSeconds)) {
    await saveSeen(database, session.sessionId, visitor, now);
  }
  const user = { userId: session.userId, email, hasPassword, hasPasskey };
  return { session, user, accounts, account: decideAccount(session, accounts) };
}
