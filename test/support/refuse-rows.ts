/** Simulates a defect: the database refuses new rows of a table, until the returned function is called. */
import type { Database } from '../../src/postgres/database.ts';

/** `accepted` is the SQL condition for rows that are stored all the same. */
export async function refuseRows(
  database: Database,
  table: string,
  accepted = 'false',
): Promise<() => Promise<void>> {
  // A constraint and no trigger, because Citus knows no triggers.
  await database.query({
    text: `alter table ${table} add constraint broken_for_a_test check (${accepted}) not valid`,
  });
  return async () => {
    await database.query({ text: `alter table ${table} drop constraint broken_for_a_test` });
  };
}
