/** Reads with several statements that must not contradict each other. */
import type { Database, Transaction } from '../postgres/database.ts';

/** All statements see the database as it was at the first one. Nothing can be written. */
export function readSnapshot<Result>(
  database: Database,
  read: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (tx) => {
    const snapshot = 'set transaction isolation level repeatable read, read only';
    tx.commitWith(tx.query({ name: snapshot, text: snapshot }));
    return read(tx);
  });
}
