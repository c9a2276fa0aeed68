/** Appends to the audit log what was done outside of a transaction of its own. */
import { type Actor, type AuditEntry, auditEntry } from '../../domain/audit.ts';
import type { Services } from '../../services/services.ts';
import { appendAudits } from '../../store/accounts/audit.ts';

type Done = Pick<AuditEntry, 'accountId' | 'action' | 'object'> &
  Partial<Pick<AuditEntry, 'details'>>;

export async function recordAudit(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  done: readonly Done[],
): Promise<void> {
  const entries = done.map((entry) => auditEntry(actor, clock(), entry));
  await database.transaction((tx) => appendAudits(tx, entries));
}
