/** The append-only audit log. Entries are inserted and read; the role of the service may not change or delete them. */
import type { AuditAction, AuditEntry } from '../../domain/audit.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';

export function appendAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  return appendAudits(tx, [entry]);
}

export async function appendAudits(tx: Transaction, entries: readonly AuditEntry[]) {
  if (entries.length === 0) return;
  await tx.query({
    text: `insert into audit (account_id, audit_id, at, actor, action, object, note, details, user_id, address)
           select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[],
                                $7::text[], $8::json[], $9::text[], $10::text[])`,
    values: [
      entries.map(({ accountId }) => accountId),
      entries.map(({ auditId }) => auditId),
      entries.map(({ at }) => at),
      entries.map(({ actor }) => actor.name),
      entries.map(({ action }) => action),
      entries.map(({ object }) => object),
      entries.map(({ note }) => note),
      entries.map(({ details }) => JSON.stringify(details)),
      entries.map(({ actor }) => actor.userId),
      entries.map(({ actor }) => actor.address),
    ],
  });
}

type AuditRow = {
  audit_id: string;
  at: Date;
  actor: string;
  user_id: string | null;
  address: string | null;
  action: AuditAction;
  object: string;
  note: string | null;
  details: AuditEntry['details'];
};

/** The place of an entry in the log. */
export type AuditCursor = Pick<AuditEntry, 'at' | 'auditId'>;

/** Newest first, behind `before` if it is given. */
export async function listAudit(
  database: Queryable,
  accountId: string,
  { before, limit }: { readonly before: AuditCursor | undefined; readonly limit: number },
): Promise<AuditEntry[]> {
  const { rows } = await database.query<AuditRow>({
    text: `select audit_id, at, actor, user_id, address, action, object, note, details from audit
            where account_id = $1 ${before ? 'and (at, audit_id) < ($3, $4)' : ''}
            order by at desc, audit_id desc limit $2`,
    values: [accountId, limit, ...(before ? [before.at, before.auditId] : [])],
  });
  return rows.map((row) => ({
    accountId,
    auditId: row.audit_id,
    at: row.at,
    actor: { name: row.actor, userId: row.user_id, address: row.address },
    action: row.action,
    object: row.object,
    note: row.note,
    details: row.details,
  }));
}
