/** Reads several tables as they were at one moment, so that a change in between cannot look like a contradiction. */
import type { Database, Queryable } from '../postgres/database.ts';

export function readOnSnapshot<Result>(
  database: Database,
  read: (tx: Queryable) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (tx) => {
    const snapshot = 'set transaction isolation level repeatable read, read only';
    tx.commitWith(tx.query({ name: snapshot, text: snapshot }));
    return read(tx);
  });
}
