/** A page of the audit log of an account, newest first. Contract 13.3. */
import { refuseField } from '../../domain/errors.ts';
import type { Services } from '../../services/services.ts';
import { type AuditCursor, listAudit } from '../../store/accounts/audit.ts';

export async function listAuditLog(
  { database }: Pick<Services, 'database'>,
  accountId: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
) {
  const before = after === undefined ? undefined : readCursor(after);
  const found = await listAudit(database, accountId, { before, limit: limit + 1 });
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  return {
    entries,
    next: found.length > limit && last ? `${last.at.getTime()}-${last.auditId}` : undefined,
  };
}

function readCursor(text: string): AuditCursor {
  const match = /^(\d{1,15})-(aud_[0-9A-Za-z]{16})$/.exec(text);
  if (!match) refuseField('after', 'must be the next of an earlier page');
  return { at: new Date(Number(match[1])), auditId: match[2] ?? '' };
}
