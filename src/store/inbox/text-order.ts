/**
 * Ids begin with the time, so they sort by time where the database sorts text by bytes. A database that sorts text by a
 * language has further indexes that sort by bytes (migration 0035), which need the collation in the statement.
 */
import type { Queryable } from '../../postgres/database.ts';
import { sortsIdsByTime } from './newest.ts';

export type TextOrder = 'bytes' | 'language';

export async function findTextOrder(database: Queryable): Promise<TextOrder> {
  return (await sortsIdsByTime(database)) ? 'bytes' : 'language';
}

/** The column, to be compared and sorted by bytes. */
export function byBytes(column: string, order: TextOrder): string {
  return order === 'bytes' ? column : `${column} collate "C"`;
}
