/** Locks the table of orders, so that every statement on it waits. */
import type { TestContext } from 'node:test';
import type { Database } from '../../src/postgres/database.ts';

/** Resolves when the lock is held, with a function that releases it. */
export async function lockOrders(database: Database, t: TestContext): Promise<() => Promise<void>> {
  const released = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const lock = database.transaction(async (tx) => {
    await tx.query({ text: 'set local idle_in_transaction_session_timeout = 0' });
    await tx.query({ text: 'lock table orders in access exclusive mode' });
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  // A test that fails before it releases the lock must not hang.
  t.after(() => released.resolve());
  return () => {
    released.resolve();
    return lock;
  };
}
