/** Deletes what sign-ins leave behind: sessions, invitations, challenges and failures that have ended. */
import type { Database } from '../../postgres/database.ts';
import { type Sql, sql } from '../../postgres/sql.ts';
import { countChanges } from '../query.ts';

/** Of each kind its rows, the column of their key, and the time that must be over. */
const ended = {
  idle_sessions: [sql`sessions`, sql`session_id`, sql`last_seen_at`],
  sessions: [sql`sessions`, sql`session_id`, sql`expires_at`],
  invitations: [sql`invitations`, sql`invitation_id`, sql`expires_at`],
  challenges: [sql`passkey_challenges`, sql`challenge`, sql`expires_at`],
  failures: [
    sql`sign_in_failures`,
    sql`subject`,
    sql`last_failed_at`,
    sql`not starts_with(subject, 'known:')`,
  ],
  known_visitors: [sql`sign_in_failures`, sql`subject`, sql`last_failed_at`],
} as const satisfies Record<string, readonly [Sql, Sql, Sql, Sql?]>;

export type EndedSignIns = keyof typeof ended;

/** Returns how many were deleted. A row that is used meanwhile has a later time and stays. */
export async function pruneEnded(
  database: Database,
  which: EndedSignIns,
  before: Date,
  limit: number,
): Promise<number> {
  const [table, key, time, condition = sql`true`] = ended[which];
  return countChanges(database, [before, limit])`
    delete from ${table}
     where ${key} in (select ${key} from ${table}
                     where ${time} <= $1 and ${condition} order by ${time} limit $2)
       and ${time} <= $1`;
}
