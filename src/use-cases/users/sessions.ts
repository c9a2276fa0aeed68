/** Sessions: found with every request, opened after a proof, listed and ended. An ended session is deleted. */
import { ServiceError } from '../../domain/errors.ts';
import { newSessionId } from '../../domain/ids.ts';
import { addSeconds } from '../../domain/time.ts';
import { userLimits } from '../../domain/users/limits.ts';
import {
  actorOf,
  decideAccount,
  isLive,
  type Session,
  type SignedIn,
  type Visitor,
} from '../../domain/users/session.ts';
import type { Transaction } from '../../postgres/database.ts';
import { digestOfToken, newOpaqueToken } from '../../security/opaque-token.ts';
import type { Services } from '../../services/services.ts';
import { listAccountsOfUser } from '../../store/users/memberships.ts';
import {
  deleteSession,
  deleteSessionBySecret,
  deleteSessionsOfUser,
  findSessionBySecret,
  insertSession,
  listSessionsOfUser,
  saveChosenAccount,
  saveSeen,
} from '../../store/users/sessions.ts';
import type { User } from '../../store/users/users.ts';
import { auditUser } from './audit-user.ts';
import { rememberVisitor } from './prove-password.ts';

export async function listSessions(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { user }: SignedIn,
): Promise<Session[]> {
  const sessions = await listSessionsOfUser(database, user.userId);
  return sessions.filter((session) => isLive(session, clock()));
}

export async function endSession(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { user }: SignedIn,
  sessionId: string,
  visitor: Visitor,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deleteSession(tx, user.userId, sessionId))) {
      throw new ServiceError('NOT_FOUND', 'You have no such session: it may have ended.');
    }
    const details = { session_id: sessionId };
    await auditUser(tx, actorOf(user, visitor), clock(), 'user.signed_out', user.userId, details);
  });
}

/** Returns how many were ended. */
export async function endOtherSessions(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { user, session }: SignedIn,
  visitor: Visitor,
): Promise<number> {
  const { userId } = user;
  return database.transaction(async (tx) => {
    const sessions = await deleteSessionsOfUser(tx, userId, session.sessionId);
    if (sessions === 0) return 0;
    await auditUser(tx, actorOf(user, visitor), clock(), 'user.signed_out', userId, { sessions });
    return sessions;
  });
}

/** Finds who makes a request of the dashboard. Roles are read with every request, so a change holds at once. */
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

/** Who signs in, and from where. */
export type Caller = Visitor & {
  /** The cookie that the browser had. That session ends: nobody may choose the secret of another's session. */
  readonly formerSecret: string | undefined;
  /** The cookie of the device, which may be new. */
  readonly device: string;
};

/**
 * Opens a session. The user has proven who they are, and their row is locked. The caller sets the secret as the cookie;
 * only its digest is stored.
 */
export async function openSession(
  tx: Transaction,
  now: Date,
  { userId, email }: Pick<User, 'userId' | 'email'>,
  accountId: string | null,
  { formerSecret, device, ...visitor }: Caller,
): Promise<string> {
  await rememberVisitor(tx, { email, address: visitor.address, device }, now);
  const secret = newOpaqueToken();
  if (formerSecret !== undefined) await deleteSessionBySecret(tx, digestOfToken(formerSecret));
  const others = await listSessionsOfUser(tx, userId);
  for (const { sessionId } of others.slice(userLimits.sessionsMax - 1)) {
    await deleteSession(tx, userId, sessionId);
  }
  const session = {
    ...visitor,
    sessionId: newSessionId(),
    userId,
    accountId,
    createdAt: now,
    lastSeenAt: now,
    confirmedAt: now,
    expiresAt: addSeconds(now, userLimits.sessionSeconds),
  };
  await insertSession(tx, session, digestOfToken(secret));
  return secret;
}

/** Chooses the account that a session shows. The choice is stored, so it is the same in every tab. */
export async function switchAccount(
  { database }: Pick<Services, 'database'>,
  { session, accounts }: SignedIn,
  accountId: string,
): Promise<SignedIn['account']> {
  const account = accounts.find((own) => own.accountId === accountId);
  // The same answer for an account of others as for one that does not exist.
  if (!account) throw new ServiceError('NOT_FOUND', 'You do not belong to this account.');
  await saveChosenAccount(database, session.sessionId, accountId);
  return account;
}
