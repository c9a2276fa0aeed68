/**
 * The connections to PostgreSQL: so many at most, none that is waited for without end, and none that is
 * trusted after another was lost.
 */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { limits } from '../domain/limits.ts';
import type { DatabaseAddress } from './database.ts';
import { isMute, isOutOfConnections } from './error-classes.ts';

/**
 * Everything here is found by a key, some rows at a time. A plan that was made while a table was small, and is
 * kept, would read the whole of it until its figures are gathered again.
 */
const byIndexAlways = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

export function openPool(address: DatabaseAddress): pg.Pool {
  const pool = new pg.Pool({
    ...address,
    application_name: 'payment-order-service',
    max: limits.databaseConnectionsMax,
    // For one that another lets go of; a new one is given up sooner.
    connectionTimeoutMillis: limits.databaseQueueMsMax,
    Client: clientOf((error) => {
      if (isOutOfConnections(error)) shareConnections();
    }),
    statement_timeout: limits.statementMsMax,
    idle_in_transaction_session_timeout: limits.statementMsMax,
    // For a server that says nothing at all: it stands still, or another has taken its place.
    query_timeout: limits.databaseAnswerMsMax,
    // Where a server has silently taken another's place, it knows nothing of our connections and says so when asked.
    keepAlive: true,
    keepAliveInitialDelayMillis: limits.databaseSilenceMsMax,
    options: byIndexAlways,
    // Statements that do not wait for each other's answers are sent together, and still run in turn.
    ...{ pipeline: true },
  });
  // A connection that breaks while idle is dropped by the pool; the next query opens a new one.
  pool.on('error', () => {});
  const idle = new Set<pg.PoolClient>();
  /** Whatever ended one has most often ended all, and who is handed a dead one waits for it in vain. */
  const dropIdle = () => {
    for (const client of idle) streamOf(client).destroy();
    idle.clear();
  };
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (error, client) => {
    idle.add(client);
    if (isMute(error)) dropIdle();
  });
  pool.on('remove', (client) => idle.delete(client));
  // A server that dies says so more than once, also when the first time has been dealt with: whoever uses the
  // connection is told by their statement, and an event that nobody hears would end the process.
  pool.on('connect', (client) => client.on('error', dropIdle));

  let connected = 0;
  pool.on('connect', () => {
    connected += 1;
  });
  pool.on('remove', () => {
    connected -= 1;
  });
  /** A server that has fewer connections for us than we would like is not asked for more for a while. */
  const shareConnections = () => {
    pool.options.max = Math.max(connected, 1);
    setTimeout(() => {
      pool.options.max = limits.databaseConnectionsMax;
    }, limits.databaseShareMs).unref();
  };
  return pool;
}

/**
 * Who waits for a database that was away is not to wait long after it is back. What became of a connection is told
 * before the pool hears of it, and opens the next.
 */
function clientOf(onConnected: (error: unknown) => void): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      // The pool hides the password from whoever lists its options.
      const password = config?.password;
      const connectionTimeoutMillis = limits.databaseConnectMsMax;
      super({ ...config, ...(password && { password }), connectionTimeoutMillis });
    }

    /** The pool waits by a callback; the driver's types have other ways as well. */
    override connect(callback?: unknown): never {
      return super.connect((error: Error) => {
        onConnected(error);
        (callback as (error: Error) => void)(error);
      }) as never;
    }
  };
}

/** Nothing was sent; whoever tries again gets one of those connections that there are, or will be. */
export function mayShareConnection(pool: pg.Pool, error: unknown): boolean {
  return isOutOfConnections(error) && pool.totalCount > 0;
}

export function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}
