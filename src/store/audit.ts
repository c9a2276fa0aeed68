/** The append-only audit log of what operators did. */
import type { Transaction } from '../postgres/database.ts';

export type AuditEntry = {
  readonly accountId: string;
  readonly auditId: string;
  readonly at: Date;
  /** `cli`, or the name of a user. */
  readonly actor: string;
  readonly action:
    | 'delivery.resolved'
    | 'flag.resolved'
    | 'account.suspended'
    | 'account.resumed'
    | 'consumer.erased';
  /** The id of the object that the action changed. */
  readonly object: string;
  readonly note: string | null;
  readonly details: Readonly<Record<string, unknown>>;
};

export function appendAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  return appendAudits(tx, [entry]);
}

export async function appendAudits(tx: Transaction, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await tx.query({
    text: `insert into audit (account_id, audit_id, at, actor, action, object, note, details)
           select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[],
                                $7::text[], $8::json[])`,
    values: [
      entries.map(({ accountId }) => accountId),
      entries.map(({ auditId }) => auditId),
      entries.map(({ at }) => at),
      entries.map(({ actor }) => actor),
      entries.map(({ action }) => action),
      entries.map(({ object }) => object),
      entries.map(({ note }) => note),
      entries.map(({ details }) => JSON.stringify(details)),
    ],
  });
}
