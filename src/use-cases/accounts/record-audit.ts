/** Appends to the audit log what was done outside of a transaction of its own. */
import { type Actor, type AuditEntry, auditEntry } from '../../domain/audit.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import { appendAudits } from '../../store/accounts/audit.ts';

type Needs = { readonly database: Database; readonly clock: Clock };

type Done = Pick<AuditEntry, 'accountId' | 'action' | 'object'> &
  Partial<Pick<AuditEntry, 'details'>>;

export async function recordAudit(
  { database, clock }: Needs,
  actor: Actor,
  done: readonly Done[],
): Promise<void> {
  const entries = done.map((entry) => auditEntry(actor, clock(), entry));
  await database.transaction((tx) => appendAudits(tx, entries));
}
