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
  ...done: readonly Audited[]
): Promise<void> {
  if (done.length === 0) return;
  const values = [
    done.map(({ accountId }) => accountId),
    done.map(() => newAuditId(at)),
    done.map(() => at),
    done.map(() => actor.name),
    done.map(({ action }) => action),
    done.map(({ object }) => object),
    done.map(({ note }) => note ?? null),
    done.map(({ details = {} }) => JSON.stringify(details)),
    done.map(() => actor.userId),
    done.map(() => actor.address),
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
    ...{ accountId, auditId, at, actor: { name, userId, address } },
    ...done,
  }));
}
