/** Sessions of users. The secret in the cookie is stored as a digest. */
import type { Session, SessionUser, Visitor } from '../../domain/users/session.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { changesOne, countChanges, findRow, listRows } from '../query.ts';

const columns = `s.session_id as "sessionId", s.user_id as "userId", s.account_id as "accountId",
                 s.created_at as "createdAt", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt",
                 s.confirmed_at as "confirmedAt", s.address, s.user_agent as "userAgent"`;

type FoundSession = Session & Omit<SessionUser, 'userId'>;

/** Whether it is still live is for the caller to decide. */
export function findSessionBySecret(database: Queryable, secretDigest: Buffer) {
  return findRow<FoundSession>(database, {
    name: 'find-session',
    text: `select ${columns}, u.email, u.password_hash is not null as "hasPassword",
                  exists (select from passkeys p where p.user_id = s.user_id) as "hasPasskey"
             from sessions s join users u on u.user_id = s.user_id
            where s.secret_digest = $1`,
    values: [secretDigest],
  });
}

/** The one that was used last comes first. */
export function listSessionsOfUser(database: Queryable, userId: string) {
  return listRows<Session>(database, {
    text: `select ${columns} from sessions s where s.user_id = $1
            order by s.last_seen_at desc, s.session_id`,
    values: [userId],
  });
}

export async function insertSession(tx: Transaction, session: Session, secretDigest: Buffer) {
  await tx.query({
    text: `insert into sessions (session_id, secret_digest, user_id, account_id, created_at, last_seen_at,
                                 expires_at, confirmed_at, address, user_agent)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      session.sessionId,
      secretDigest,
      session.userId,
      session.accountId,
      session.createdAt,
      session.lastSeenAt,
      session.expiresAt,
      session.confirmedAt,
      session.address,
      session.userAgent,
    ],
  });
}

export async function saveSeen(
  database: Queryable,
  sessionId: string,
  { address, userAgent }: Visitor,
  now: Date,
) {
  await database.query({
    name: 'save-session-seen',
    text: `update sessions set last_seen_at = $2, address = $3, user_agent = $4
            where session_id = $1 and last_seen_at < $2`,
    values: [sessionId, now, address, userAgent],
  });
}

/** A new secret: the cookie from before is worth nothing from now on. False if the session has ended. */
export function renewSession(
  tx: Transaction,
  sessionId: string,
  { secretDigest, confirmedAt }: { readonly secretDigest: Buffer; readonly confirmedAt: Date },
) {
  return changesOne(tx, {
    text: 'update sessions set secret_digest = $2, confirmed_at = $3 where session_id = $1',
    values: [sessionId, secretDigest, confirmedAt],
  });
}

export async function saveChosenAccount(database: Queryable, sessionId: string, accountId: string) {
  await database.query({
    text: 'update sessions set account_id = $2 where session_id = $1',
    values: [sessionId, accountId],
  });
}

/** False if the user has no such session. */
export function deleteSession(tx: Transaction, userId: string, sessionId: string) {
  return changesOne(tx, {
    text: 'delete from sessions where user_id = $1 and session_id = $2',
    values: [userId, sessionId],
  });
}

export async function deleteSessionBySecret(tx: Transaction, secretDigest: Buffer) {
  await tx.query({ text: 'delete from sessions where secret_digest = $1', values: [secretDigest] });
}

/** All of a user but `except`. Returns how many. */
export function deleteSessionsOfUser(tx: Transaction, userId: string, except: string | null) {
  return countChanges(tx, {
    text: 'delete from sessions where user_id = $1 and session_id is distinct from $2',
    values: [userId, except],
  });
}
