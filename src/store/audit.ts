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

export async function appendAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  await tx.query({
    text: `insert into audit (account_id, audit_id, at, actor, action, object, note, details)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [
      entry.accountId,
      entry.auditId,
      entry.at,
      entry.actor,
      entry.action,
      entry.object,
      entry.note,
      JSON.stringify(entry.details),
    ],
  });
}
