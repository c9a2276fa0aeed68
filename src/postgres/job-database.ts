/** The database as the job library wants it: SQL in, rows out, over our own pool. */
import type { Database } from './database.ts';

export function jobDatabase(database: Database) {
  return {
    executeSql: (text: string, values: unknown[] = []) => database.query({ text, values }),
  };
}
