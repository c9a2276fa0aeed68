/** What the audit log of an account says. */
import type { TestDatabase } from './test-database.ts';

export type Audited = {
  readonly actor: string;
  readonly action: string;
  readonly object: string;
  readonly details: Record<string, unknown>;
  readonly address: string | null;
  readonly user_id: string | null;
};

/** The log of an account, oldest first. */
export async function auditOf(service: TestDatabase, accountId: string): Promise<Audited[]> {
  const { rows } = await service.database.query<Audited>({
    text: `select actor, user_id, address, action, object, details from audit
            where account_id = $1 order by at, audit_id`,
    values: [accountId],
  });
  return rows;
}
