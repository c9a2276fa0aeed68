/**
 * The way to PostgreSQL: transactions that are tried again when the database asks for it, and statements
 * that leave in one write.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import {
  explainLostCommit,
  explainRival,
  isSpoilt,
  mayRunAgain,
  translateDatabaseError,
} from './error-classes.ts';
import { createPipeline, sendAlone } from './pipeline.ts';
import { mayShareConnection, openPool, streamOf } from './pool.ts';
import { createQueueStats, type QueueStats } from './queue-stats.ts';

/** Where the database is: a URL, or the socket folder of the embedded one. */
export type DatabaseAddress =
  | { readonly connectionString: string }
  | Readonly<{ host: string; port: number; user: string; password?: string; database: string }>;

/** Anything that runs a statement: the pool, or a transaction. */
export type Queryable = {
  readonly query: <Row extends pg.QueryResultRow>(
    statement: Statement,
  ) => Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>;
};

/** A named statement is prepared once per connection. */
export type Statement = {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Another may be faster with a row that there may be only once; the transaction is then run again, and finds it. */
  readonly hasRivals?: boolean;
  /** Milliseconds until it is given up, where the limit of all is too short; the driver's own name. */
  readonly query_timeout?: number;
};

/** Functions that lock rows ask for this type, so that forgetting the transaction does not compile. */
export type Transaction = Queryable & {
  readonly inTransaction: true;
  /**
   * Last writes, which the commit follows without waiting for their answers: all of their statements must have
   * been sent when `work` returns. The database refuses to commit when one of them failed; what only we could
   * object to must be awaited instead.
   */
  readonly leave: (writes: Promise<unknown>) => void;
};

/**
 * A statement outside a transaction is run again when its connection is lost, so it must be one
 * that can be repeated: a read, or an insert that a key guards.
 */
export type Database = Queryable & {
  /** Statements that run in turn, each with a commit of its own, and are sent without waiting for each other. */
  readonly pipelined: <Result>(work: (connection: Queryable) => Promise<Result>) => Promise<Result>;
  /** `behind` leaves in one write with the commit and runs after it; it must not fail, for all is done by then. */
  readonly transaction: <Result, Behind = Result>(
    work: (tx: Transaction) => Promise<Result>,
    behind?: (result: Result, connection: Queryable) => Promise<Behind>,
  ) => Promise<Behind>;
  /** What waits for it, here and in the batches that lead to it. */
  readonly load: QueueStats;
  readonly close: () => Promise<void>;
};

// Amounts and counts stay far below 2^53 (limits.amountMinorMax), so bigint columns are numbers here.
const bigintType = 20;
pg.types.setTypeParser(bigintType, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error('a bigint column is beyond exact numbers');
  return value;
});

export function openDatabase(address: DatabaseAddress): Database {
  const pool = openPool(address);
  const load = createQueueStats();
  const { onShed } = load.addQueue('connections', () => pool.waitingCount);
  const attempting = <Result>(attempt: () => Promise<Result>) =>
    retrying(
      async () => {
        shedWhenFull(pool, onShed);
        return attempt();
      },
      (error) => mayRunAgain(error) || mayShareConnection(pool, error),
    );
  return {
    query: (statement) => attempting(() => sendOnce(pool, statement)) as never,
    pipelined: (work) => attempting(() => runPipelined(pool, work)),
    transaction: (work, behind) =>
      attempting(() =>
        withClient(pool, (client, health) => transact(client, health, work, behind)),
      ),
    load,
    close: () => pool.end(),
  };
}

/** Tries again what left no trace, a little later each time so that rivals do not meet again. */
async function retrying<Result>(
  attempt: () => Promise<Result>,
  mayTryAgain: (error: unknown) => boolean,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= limits.transactionAttemptsMax || !mayTryAgain(error))
        throw translateDatabaseError(error);
      await delay(Math.random() * 2 ** tried);
    }
  }
}

/** A text that failed may have begun a transaction that it did not come to end: the connection is not used again. */
function sendOnce(pool: pg.Pool, statement: Statement): Promise<unknown> {
  return withClient(pool, (client, health) =>
    sendAlone(client, statement).catch((error: Error) => {
      health.broken = error;
      throw error;
    }),
  );
}

async function runPipelined<Result>(
  pool: pg.Pool,
  work: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  return withClient(pool, async (client) => {
    const sent: Promise<unknown>[] = [];
    const query: Queryable['query'] = (statement) => {
      const answer = inOneWrite(client, () => sendAlone(client, statement));
      sent.push(answer);
      return answer as never;
    };
    try {
      return await work({ query });
    } finally {
      // The next to use the connection must not find answers of ours on it.
      await Promise.allSettled(sent);
    }
  });
}

/** A connection that breaks between two statements says so; the next statement then fails. */
type Health = { broken?: Error };

async function withClient<Result>(
  pool: pg.Pool,
  use: (client: pg.PoolClient, health: Health) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const health: Health = {};
  const onError = (error: Error) => {
    health.broken = error;
  };
  client.on('error', onError);
  try {
    return await use(client, health);
  } catch (error) {
    if (isSpoilt(error)) health.broken = error;
    throw error;
  } finally {
    client.off('error', onError);
    client.release(health.broken);
  }
}

async function transact<Result, Behind = Result>(
  client: pg.PoolClient,
  health: Health,
  work: (tx: Transaction) => Promise<Result>,
  behind?: (result: Result, connection: Queryable) => Promise<Behind>,
): Promise<Behind> {
  let leftFailure: Error | undefined;
  // A last write that failed before it was sent would be missing in what is committed.
  const send = createPipeline(client, () => leftFailure);
  const left: Promise<unknown>[] = [];
  const leave = (writes: Promise<unknown>) => {
    writes.catch((error: Error) => {
      leftFailure ??= error;
    });
    left.push(writes);
  };
  let isOver = false;
  let firstFailure: unknown;
  try {
    const query: Queryable['query'] = async (statement) => {
      // Of several that are sent together one may fail; those behind it must not outlive the transaction.
      if (isOver) throw new Error('the transaction is over');
      try {
        return await send(statement);
      } catch (error) {
        // Those behind it fail only because it did, and are told why.
        firstFailure ??= statement.hasRivals ? explainRival(error) : error;
        throw firstFailure;
      }
    };
    // Sent with the first statement: nothing waits for its answer but the commit.
    leave(query({ name: 'begin', text: 'begin' }));
    const result = await work({ inTransaction: true, query, leave });
    // Known to be lost before the commit was sent: then nothing was saved.
    if (health.broken) throw health.broken;
    isOver = true;
    const commit = send({ name: 'commit', text: 'commit' });
    const after = behind?.(result, { query: send }) ?? Promise.resolve(result);
    await Promise.allSettled([commit, after, ...left]);
    await Promise.all(left).catch(explainLostCommit);
    const { command } = await commit.catch(explainLostCommit);
    if (command !== 'COMMIT') throw new Error('a failed statement of the transaction was ignored');
    return (await after) as Behind;
  } catch (error) {
    isOver = true;
    await send({ text: 'rollback' }).catch((failure: Error) => {
      health.broken = failure;
    });
    throw error;
  }
}

/** What is sent in one turn leaves in one write: system calls are dearer than bytes. */
function inOneWrite<Result>(client: pg.PoolClient, send: () => Result): Result {
  const stream = streamOf(client);
  stream.cork();
  process.nextTick(() => stream.uncork());
  return send();
}

/** Locks that are not had within this time end the transaction, which may then be done in smaller parts. */
export async function limitLockWait(tx: Transaction, milliseconds: number): Promise<void> {
  const text = `set local lock_timeout = ${Math.trunc(milliseconds)}`;
  await tx.query({ name: text, text });
}

/** Contract 8.2: a queue that only grows helps nobody. */
function shedWhenFull(pool: pg.Pool, onShed: () => void): void {
  if (pool.waitingCount < limits.databaseQueueMax) return;
  onShed();
  throw new ServiceError('SERVICE_UNAVAILABLE');
}
