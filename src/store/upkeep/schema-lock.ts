/** Changes of the schema are made by one process at a time, however long they take. */
import type { Transaction } from '../../postgres/database.ts';

/** Row 0 of the journal of migrations exists to be locked. */
export async function lockSchema(tx: Transaction) {
  await tx.query({
    text: `insert into schema_migrations (version, name, applied_at)
           values (0, 'lock', now()) on conflict (version) do nothing`,
  });
  await tx.query({ text: 'select 1 from schema_migrations where version = 0 for update' });
}

/** Changing a large table, or waiting for another process that does, takes longer than a request may. */
export async function withoutTimeout(tx: Transaction): Promise<Transaction> {
  const query_timeout = 24 * 60 * 60 * 1000;
  await tx.query({ text: 'set local statement_timeout = 0' });
  return { ...tx, query: (statement) => tx.query({ ...statement, query_timeout }) };
}
