/** Lists and ends sessions of the signed-in user. An ended session is deleted, so its cookie is worth nothing. */
import { ServiceError } from '../../domain/errors.ts';
import {
  actorOf,
  isLive,
  type Session,
  type SignedIn,
  type Visitor,
} from '../../domain/users/session.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import {
  deleteSession,
  deleteSessionsOfUser,
  listSessionsOfUser,
} from '../../store/users/sessions.ts';
import { auditUser } from './audit-user.ts';

export async function listSessions(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { user }: SignedIn,
): Promise<Session[]> {
  const sessions = await listSessionsOfUser(database, user.userId);
  return sessions.filter((session) => isLive(session, clock()));
}

export async function endSession(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  signedIn: SignedIn,
  sessionId: string,
  visitor: Visitor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deleteSession(tx, signedIn.user.userId, sessionId))) {
      throw new ServiceError('NOT_FOUND', 'You have no such session: it may have ended.');
    }
    await audit(tx, signedIn, clock(), visitor, { session_id: sessionId });
  });
}

/** Returns how many were ended. */
export async function endOtherSessions(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  signedIn: SignedIn,
  visitor: Visitor,
): Promise<number> {
  const { user, session } = signedIn;
  return database.transaction(async (tx) => {
    const ended = await deleteSessionsOfUser(tx, user.userId, session.sessionId);
    if (ended > 0) await audit(tx, signedIn, clock(), visitor, { sessions: ended });
    return ended;
  });
}

async function audit(
  tx: Transaction,
  { user }: SignedIn,
  now: Date,
  visitor: Visitor,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { userId } = user;
  await auditUser(tx, actorOf(user, visitor), now, { action: 'user.signed_out', userId, details });
}
