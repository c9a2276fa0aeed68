/**
 * The way to PostgreSQL: a bounded pool, transactions that are tried again when the database asks
 * for it, and the translation of its troubles into our own codes.
 */
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

/** Where the database is: a URL, or the socket folder of the embedded one. */
export type DatabaseAddress =
  | { readonly connectionString: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly database: string;
    };

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
};

/** Functions that lock rows ask for this type, so that forgetting the transaction does not compile. */
export type Transaction = Queryable & { readonly inTransaction: true };

/**
 * A statement outside a transaction is run again when its connection is lost, so it must be one
 * that can be repeated: a read, or an insert that a key guards.
 */
export type Database = Queryable & {
  /** Statements that run in turn, each with a commit of its own, and are sent without waiting for each other. */
  readonly inTurn: <Result>(work: (connection: Queryable) => Promise<Result>) => Promise<Result>;
  readonly transaction: <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>;
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
  const pool = new pg.Pool({
    ...address,
    application_name: 'payment-order-service',
    max: limits.databaseConnectionsMax,
    connectionTimeoutMillis: limits.databaseConnectMsMax,
    statement_timeout: limits.statementMsMax,
    idle_in_transaction_session_timeout: limits.statementMsMax,
    keepAlive: true,
    // Statements that do not wait for each other's answers are sent together, and still run in turn.
    ...{ pipeline: true },
  });
  // A connection that breaks while idle is dropped by the pool; the next query opens a new one.
  pool.on('error', () => {});

  return {
    query: (statement) => retrying(() => run(pool, statement)),
    inTurn: (work) => retrying(() => runInTurn(pool, work)),
    transaction: (work) => retrying(() => runTransaction(pool, work)),
    close: () => pool.end(),
  };
}

/** Tries again what left no trace, a little later each time so that rivals do not meet again. */
async function retrying<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= limits.transactionAttemptsMax || !mayRunAgain(error)) throw translate(error);
      await delay(Math.random() * 2 ** tried);
    }
  }
}

async function run<Row extends pg.QueryResultRow>(pool: pg.Pool, statement: Statement) {
  shedWhenFull(pool);
  return pool.query<Row>(statement as pg.QueryConfig);
}

async function runInTurn<Result>(
  pool: pg.Pool,
  work: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  return withClient(pool, async (client) => {
    const sent: Promise<unknown>[] = [];
    const query: Queryable['query'] = (statement) => {
      const answer = inOneWrite(client, () => client.query(statement as pg.QueryConfig));
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
  shedWhenFull(pool);
  const client = await pool.connect();
  const health: Health = {};
  const onError = (error: Error) => {
    health.broken = error;
  };
  client.on('error', onError);
  try {
    return await use(client, health);
  } finally {
    client.off('error', onError);
    client.release(health.broken);
  }
}

async function runTransaction<Result>(
  pool: pg.Pool,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return withClient(pool, (client, health) => transact(client, health, work));
}

async function transact<Result>(
  client: pg.PoolClient,
  health: Health,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  let isOver = false;
  try {
    const send: Queryable['query'] = async (statement) => {
      // Of several that are sent together one may fail; those behind it must not outlive the transaction.
      if (isOver) throw new Error('the transaction is over');
      return inOneWrite(client, () => client.query(statement as pg.QueryConfig));
    };
    // Sent with the first statement: nothing waits for its answer but the commit.
    const begun = send({ text: 'begin' });
    begun.catch(() => {});
    const result = await work({ inTransaction: true, query: send });
    await begun;
    // Known to be lost before the commit was sent: then nothing was saved.
    if (health.broken) throw health.broken;
    isOver = true;
    await client.query('commit').catch(explainLostCommit);
    return result;
  } catch (error) {
    isOver = true;
    await client.query('rollback').catch((failure: Error) => {
      health.broken = failure;
    });
    throw error;
  }
}

/** What is sent in one turn leaves in one write: system calls are dearer than bytes. */
function inOneWrite<Result>(client: pg.PoolClient, send: () => Result): Result {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
  return send();
}

/** Locks that are not had within this time end the transaction, which may then be done in smaller parts. */
export async function limitLockWait(tx: Transaction, milliseconds: number): Promise<void> {
  await tx.query({ text: `set local lock_timeout = ${Math.trunc(milliseconds)}` });
}

/** Decision 8.2: a queue that only grows helps nobody. */
function shedWhenFull(pool: pg.Pool): void {
  if (pool.waitingCount >= limits.databaseQueueMax) throw new ServiceError('SERVICE_UNAVAILABLE');
}

const serializationFailure = '40001';
const deadlockDetected = '40P01';

/** Decision 10.1: the database rolled everything back, or the connection broke before commit. */
function mayRunAgain(error: unknown): boolean {
  const state = sqlState(error);
  return state === serializationFailure || state === deadlockDetected || isLostConnection(error);
}

const adminShutdown = '57P01';
const crashShutdown = '57P02';

/** Nothing is sent over a connection that broke before: the driver refuses, or the socket does. */
function wasNeverSent(error: unknown): boolean {
  if (sqlState(error) === 'EPIPE') return true;
  return error instanceof Error && error.message.includes('is not queryable');
}

/** A commit that was sent and not answered: nobody knows, so running it again is not ours to decide. */
function explainLostCommit(error: unknown): never {
  if (!isLostConnection(error) || wasNeverSent(error)) throw error;
  throw new ServiceError('SERVICE_UNAVAILABLE', undefined, { cause: error });
}

function isLostConnection(error: unknown): boolean {
  const code = sqlState(error) ?? '';
  if ([adminShutdown, crashShutdown, 'ECONNRESET', 'EPIPE'].includes(code)) return true;
  if (wasNeverSent(error)) return true;
  return error instanceof Error && error.message.startsWith('Connection terminated unexpectedly');
}

/** Classes and codes that say "not now": connection, resources, operator, cancelled by timeout. */
const unavailableStates = /^(08|53|57|58)/;
const unavailableSystemCodes = /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/;
const unavailableMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|pool after calling end/;

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const code = sqlState(error) ?? '';
  return (
    unavailableStates.test(code) ||
    unavailableSystemCodes.test(code) ||
    unavailableMessages.test(error.message)
  );
}

function translate(error: unknown): unknown {
  if (error instanceof ServiceError || !isUnavailable(error)) return error;
  return new ServiceError('SERVICE_UNAVAILABLE', undefined, { cause: error });
}

/** The SQLSTATE of a database error, or the code of a system error. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
