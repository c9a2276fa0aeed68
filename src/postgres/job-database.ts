/** Lets the job library (pg-boss) run its SQL over the service's own pool. */
import type { Database } from './database.ts';

export function jobDatabase(database: Database) {
  return {
    executeSql: (text: string, values: unknown[] = []) => database.query({ text, values }),
  };
}
