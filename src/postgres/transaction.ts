/** Runs one transaction on one connection. The begin leaves with the first statement, the commit with the last. */
import {
  explainConcurrentInsert,
  explainFailedCommit,
  explainLostCommit,
} from './error-classes.ts';
import type { Session } from './session.ts';
import type { Queryable, Transaction } from './statement.ts';

export type TransactionWork<Result> = (tx: Transaction) => Promise<Result>;

/**
 * Runs after the commit and leaves in one write with it. If the connection is lost between the two, everything runs again
 * although it is committed, so a transaction with such a part must be repeatable.
 */
export type AfterCommit<Result, After> = (result: Result, connection: Queryable) => Promise<After>;

export async function runTransaction<Result, After = Result>(
  { client, transport, health }: Session,
  work: TransactionWork<Result>,
  afterCommit?: AfterCommit<Result, After>,
): Promise<After> {
  let failedWrite: Error | undefined;
  // A write that failed before it was sent would be missing from what is committed.
  const send = transport.openPipeline(client, () => failedWrite);
  const unawaited: Promise<unknown>[] = [];
  const commitWith = (writes: Promise<unknown>) => {
    writes.catch((error: Error) => {
      failedWrite ??= error;
    });
    unawaited.push(writes);
  };
  const callbacks: Array<() => void> = [];
  const onCommit = (callback: () => void) => {
    callbacks.push(callback);
  };
  let isOver = false;
  let firstFailure: unknown;
  const query: Queryable['query'] = async (statement) => {
    // After one of several concurrent statements failed, the others must not run outside the transaction.
    if (isOver) throw new Error('the transaction is over');
    try {
      return await send(statement);
    } catch (error) {
      // Statements behind a failed one fail as a consequence, so they report the first failure.
      firstFailure ??= explainConcurrentInsert(error, statement.concurrentInserts);
      throw firstFailure;
    }
  };
  try {
    commitWith(query(transport.begin));
    const result = await work({ inTransaction: true, query, commitWith, onCommit });
    // One by one, the server does not learn of a write that could not be sent, and would commit the others.
    if (!transport.isPipelined) await Promise.all(unawaited);
    // The connection was lost before the commit was sent, so nothing was saved and a retry is safe.
    if (health.broken) throw health.broken;
    isOver = true;
    const commit = send({ name: 'commit', text: 'commit' });
    const after = afterCommit?.(result, { query: send }) ?? Promise.resolve(result);
    await Promise.allSettled([commit, after, ...unawaited]);
    await Promise.all(unawaited).catch(explainLostCommit);
    const { command } = await commit.catch(explainFailedCommit);
    if (command !== 'COMMIT') throw new Error('a failed statement of the transaction was ignored');
    for (const callback of callbacks) callback();
    return (await after) as After;
  } catch (error) {
    isOver = true;
    if (transport.isSpoiltByFailure) health.broken ??= error as Error;
    await send({ text: 'rollback' }).catch((failure: Error) => {
      health.broken = failure;
    });
    throw error;
  }
}
