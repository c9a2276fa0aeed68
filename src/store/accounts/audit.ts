/** The append-only audit log. Entries are inserted and read; the role of the service may not change or delete them. */
import type { Actor, AuditEntry, Audited } from '../../domain/audit.ts';
import { newAuditId } from '../../domain/ids.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import { execute, listRows } from '../query.ts';

export async function appendAudit(
  tx: Transaction,
  actor: Actor,
  at: Date,
  done: Audited | readonly Audited[],
): Promise<void> {
  const all = [done].flat();
  if (all.length === 0) return;
  const values = [
    all.map(({ accountId }) => accountId),
    all.map(() => newAuditId(at)),
    all.map(() => at),
    all.map(() => actor.name),
    all.map(({ action }) => action),
    all.map(({ object }) => object),
    all.map(({ note }) => note ?? null),
    all.map(({ details = {} }) => JSON.stringify(details)),
    all.map(() => actor.userId),
    all.map(() => actor.address),
  ];
  await execute(tx, values)`
    insert into audit (account_id, audit_id, at, actor, action, object, note, details, user_id, address)
    select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[],
                         $7::text[], $8::json[], $9::text[], $10::text[])`;
}

type AuditRow = Actor & Omit<AuditEntry, 'accountId' | 'actor'>;

/** The place of an entry in the log. */
export type AuditCursor = Pick<AuditEntry, 'at' | 'auditId'>;

/** Newest first, behind `before` if it is given. */
export async function listAudit(
  database: Queryable,
  accountId: string,
  { before, limit }: { readonly before: AuditCursor | undefined; readonly limit: number },
): Promise<AuditEntry[]> {
  const values = [accountId, limit, ...(before ? [before.at, before.auditId] : [])];
  const rows = await listRows<AuditRow>(database, values)`
    select ${columnsOf('auditId, at')}, actor as name,
           ${columnsOf('userId, address, action, object, note, details')} from audit
     where account_id = $1 ${before ? sql`and (at, audit_id) < ($3, $4)` : sql``}
     order by at desc, audit_id desc limit $2`;
  return rows.map(({ auditId, at, name, userId, address, ...done }) => ({
    accountId,
    auditId,
    at,
    actor: { name, userId, address },
    ...done,
  }));
}
