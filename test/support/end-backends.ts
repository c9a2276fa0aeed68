/** Ends connections from the side of the server, as a shutdown or an administrator does. */
import type { Database } from '../../src/postgres/database.ts';

/** Those of `pg_stat_activity` for which the condition holds. Resolves with their number. */
export async function endBackends(
  database: Database,
  condition: string,
  values: unknown[] = [],
): Promise<number> {
  return database.transaction(async (tx) => {
    // One that ends by itself meanwhile is a warning, which the service takes for a commit that was not replicated.
    await tx.query({ text: 'set local client_min_messages = error' });
    const text = `select pg_terminate_backend(pid) from pg_stat_activity where ${condition}`;
    const { rowCount } = await tx.query({ text, values });
    return rowCount ?? 0;
  });
}
