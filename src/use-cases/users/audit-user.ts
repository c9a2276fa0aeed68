/** What a user does for themselves is in the log of each of their accounts: an owner wants to know who signed in. */
import type { Actor, AuditAction } from '../../domain/audit.ts';
import type { Transaction } from '../../postgres/database.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { listAccountsOfUser } from '../../store/users/memberships.ts';

export async function auditUser(
  tx: Transaction,
  actor: Actor,
  now: Date,
  action: AuditAction,
  userId: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const accounts = await listAccountsOfUser(tx, userId);
  const done = accounts.map(({ accountId }) => ({ accountId, action, object: userId, details }));
  await appendAudit(tx, actor, now, done);
}
