/**
 * Ids begin with the time, so they sort by time where the database sorts text by bytes. A database that sorts text by a
 * language has further indexes that sort by bytes (migration 0035), which need the collation in the statement.
 */
import type { Queryable } from '../postgres/database.ts';

export type TextOrder = 'bytes' | 'language';

/** By bytes, capital letters come before small ones. */
export async function findTextOrder(database: Queryable): Promise<TextOrder> {
  const { rows } = await database.query<{ is_by_bytes: boolean }>({
    text: `select 'o_B' < 'o_a' and 'o_Z' < 'o_a' as is_by_bytes`,
  });
  return rows[0]?.is_by_bytes ? 'bytes' : 'language';
}

/** The column, to be compared and sorted by bytes. */
export function byBytes(column: string, order: TextOrder): string {
  return order === 'bytes' ? column : `${column} collate "C"`;
}
