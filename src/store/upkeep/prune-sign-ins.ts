/** Deletes what sign-ins leave behind: sessions, invitations, challenges and failures that have ended. */
import type { Database } from '../../postgres/database.ts';
import { countChanges } from '../query.ts';

const ended = {
  idle_sessions: ['sessions', 'session_id', 'last_seen_at'],
  sessions: ['sessions', 'session_id', 'expires_at'],
  invitations: ['invitations', 'invitation_id', 'expires_at'],
  challenges: ['passkey_challenges', 'challenge', 'expires_at'],
  failures: ['sign_in_failures', 'subject', 'last_failed_at', `not starts_with(subject, 'known:')`],
  known_visitors: ['sign_in_failures', 'subject', 'last_failed_at'],
} as const satisfies Record<string, readonly [string, string, string, string?]>;

export type EndedSignIns = keyof typeof ended;

/** Returns how many were deleted. A row that is used meanwhile has a later time and stays. */
export async function pruneEnded(
  database: Database,
  which: EndedSignIns,
  before: Date,
  limit: number,
): Promise<number> {
  const [table, key, time, condition = 'true'] = ended[which];
  return countChanges(database, [before, limit])`
    delete from ${table}
     where ${key} in (select ${key} from ${table}
                     where ${time} <= $1 and ${condition} order by ${time} limit $2)
       and ${time} <= $1`;
}
