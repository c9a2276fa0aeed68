/** Sessions of users. The secret in the cookie is stored as a digest. */
import type { Session, SessionUser, Visitor } from '../../domain/users/session.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { changesOne, countChanges, execute, findRow, listRows } from '../query.ts';

const columns = columnsOf(
  'sessionId, userId, accountId, createdAt, lastSeenAt, expiresAt, confirmedAt, address, userAgent',
  's',
);

type FoundSession = Session & Omit<SessionUser, 'userId'>;

/** Whether it is still live is for the caller to decide. */
export function findSessionBySecret(database: Queryable, secretDigest: Buffer) {
  return findRow<FoundSession>(database, [secretDigest], 'find-session')`
    select ${columns}, u.email, u.password_hash is not null as "hasPassword",
           exists (select from passkeys p where p.user_id = s.user_id) as "hasPasskey"
      from sessions s join users u on u.user_id = s.user_id
     where s.secret_digest = $1`;
}

/** The one that was used last comes first. */
export function listSessionsOfUser(database: Queryable, userId: string) {
  return listRows<Session>(database, [userId])`
    select ${columns} from sessions s where s.user_id = $1
     order by s.last_seen_at desc, s.session_id`;
}

export async function insertSession(tx: Transaction, session: Session, secretDigest: Buffer) {
  const values = [
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
  ];
  await execute(tx, values)`
    insert into sessions (session_id, secret_digest, user_id, account_id, created_at, last_seen_at,
                          expires_at, confirmed_at, address, user_agent)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
}

export async function saveSeen(
  database: Queryable,
  sessionId: string,
  { address, userAgent }: Visitor,
  now: Date,
) {
  await execute(database, [sessionId, now, address, userAgent], 'save-session-seen')`
    update sessions set last_seen_at = $2, address = $3, user_agent = $4
     where session_id = $1 and last_seen_at < $2`;
}

/** A new secret: the cookie from before is worth nothing from now on. False if the session has ended. */
export function renewSession(
  tx: Transaction,
  sessionId: string,
  { secretDigest, confirmedAt }: { readonly secretDigest: Buffer; readonly confirmedAt: Date },
) {
  return changesOne(tx, [sessionId, secretDigest, confirmedAt])`
    update sessions set secret_digest = $2, confirmed_at = $3 where session_id = $1`;
}

export async function saveChosenAccount(database: Queryable, sessionId: string, accountId: string) {
  await execute(database, [sessionId, accountId])`
    update sessions set account_id = $2 where session_id = $1`;
}

/** False if the user has no such session. */
export function deleteSession(tx: Transaction, userId: string, sessionId: string) {
  return changesOne(tx, [userId, sessionId])`
    delete from sessions where user_id = $1 and session_id = $2`;
}

export async function deleteSessionBySecret(tx: Transaction, secretDigest: Buffer) {
  await execute(tx, [secretDigest])`delete from sessions where secret_digest = $1`;
}

/** All of a user but `except`. Returns how many. */
export function deleteSessionsOfUser(tx: Transaction, userId: string, except: string | null) {
  return countChanges(tx, [userId, except])`
    delete from sessions where user_id = $1 and session_id is distinct from $2`;
}
