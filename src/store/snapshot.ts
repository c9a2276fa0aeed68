/** Reads with several statements that must not contradict each other. */
import { ServiceError } from '../domain/errors.ts';
import type { Database, Transaction } from '../postgres/database.ts';

/**
 * All statements see the database as it was at the first one. Nothing can be written. After `msMax` no further statement
 * is sent, so that a request does not hold its connection for long.
 */
export function readSnapshot<Result>(
  database: Database,
  read: (tx: Transaction) => Promise<Result>,
  msMax = Infinity,
): Promise<Result> {
  return database.transaction(async (tx) => {
    const endMs = performance.now() + msMax;
    const snapshot = 'set transaction isolation level repeatable read, read only';
    tx.commitWith(tx.query({ name: snapshot, text: snapshot }));
    const query: Transaction['query'] = (statement) => {
      if (performance.now() > endMs) throw new ServiceError('SERVICE_UNAVAILABLE');
      return tx.query(statement);
    };
    return read({ ...tx, query });
  });
}
