/** Opens a session for a user who has proven who they are. Its secret goes into the cookie, its digest is stored. */
import { newSessionId } from '../../domain/ids.ts';
import { addSeconds } from '../../domain/time.ts';
import { userLimits } from '../../domain/users/limits.ts';
import type { Visitor } from '../../domain/users/session.ts';
import type { Transaction } from '../../postgres/database.ts';
import { digestOfToken, newOpaqueToken } from '../../security/opaque-token.ts';
import {
  deleteSession,
  deleteSessionBySecret,
  insertSession,
  listSessionsOfUser,
} from '../../store/users/sessions.ts';

type SessionToOpen = {
  readonly userId: string;
  readonly accountId: string | null;
  readonly visitor: Visitor;
  /** The cookie that the browser had. That session ends: nobody may choose the secret of another's session. */
  readonly formerSecret: string | undefined;
};

/** The user must be locked. */
export async function openSession(
  tx: Transaction,
  now: Date,
  { userId, accountId, visitor, formerSecret }: SessionToOpen,
): Promise<string> {
  const secret = newOpaqueToken();
  if (formerSecret !== undefined) await deleteSessionBySecret(tx, digestOfToken(formerSecret));
  const others = await listSessionsOfUser(tx, userId);
  for (const { sessionId } of others.slice(userLimits.sessionsMax - 1)) {
    await deleteSession(tx, userId, sessionId);
  }
  const session = {
    ...visitor,
    sessionId: newSessionId(),
    ...{ userId, accountId, createdAt: now, lastSeenAt: now, confirmedAt: now },
    expiresAt: addSeconds(now, userLimits.sessionSeconds),
  };
  await insertSession(tx, session, digestOfToken(secret));
  return secret;
}
