/** Simulates a defect with a database trigger: no notice can be stored until it is removed. */
import type { Database } from '../../../src/postgres/database.ts';

export async function breakNotices(database: Database): Promise<() => Promise<void>> {
  await database.query({
    text: `create function refuse_notice() returns trigger language plpgsql as
           $$ begin raise exception 'broken for a test'; end $$`,
  });
  await database.query({
    text: 'create trigger broken before insert on transactions for each row execute function refuse_notice()',
  });
  return async () => {
    await database.query({ text: 'drop function refuse_notice() cascade' });
  };
}
