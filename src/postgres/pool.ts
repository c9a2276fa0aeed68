/** The connection pool: its limits and timeouts, and what happens to connections when the server goes away. */
import pg from 'pg';
import { limits } from '../domain/limits.ts';
import type { DatabaseAddress } from './address.ts';
import { isMute, isOutOfConnections } from './error-classes.ts';
import { clientClass, destroySocket, setConnectionsMax } from './pg-internals.ts';

/** Requests are served by many short statements. Maintenance runs few statements, which may take longer. */
export type PoolPurpose = 'requests' | 'maintenance';

const settings = {
  requests: {
    max: limits.databaseConnectionsMax,
    statement_timeout: limits.statementMsMax,
    idle_in_transaction_session_timeout: limits.statementMsMax,
    query_timeout: limits.databaseAnswerMsMax,
    // Every query finds a few rows by a key. A plan that was made and cached while a table was small would scan the
    // whole table until its statistics are updated.
    options: '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off',
  },
  maintenance: {
    max: limits.maintenanceConnectionsMax,
    statement_timeout: limits.maintenanceStatementMsMax,
    idle_in_transaction_session_timeout: limits.maintenanceStatementMsMax,
    query_timeout: limits.maintenanceAnswerMsMax,
    // A longer statement must not mean a longer wait for a row that a request has locked.
    lock_timeout: limits.statementMsMax,
    // Plans are made for the values at hand and never cached, so the planner may choose freely.
    options: '-c plan_cache_mode=force_custom_plan',
  },
} as const satisfies Record<PoolPurpose, pg.PoolConfig>;

export function openPool(
  address: DatabaseAddress,
  isPipelined: () => boolean,
  purpose: PoolPurpose,
  connectMsMax: number,
): pg.Pool {
  const { max, query_timeout, ...sessionSettings } = settings[purpose];
  const pool = new pg.Pool({
    ...address,
    ...sessionSettings,
    application_name: 'payment-order-service',
    max,
    // The time to wait for a free connection. Opening a new one has a shorter limit of its own.
    connectionTimeoutMillis: limits.databaseQueueMsMax,
    Client: clientClass({
      connectMsMax,
      isPipelined,
      onConnect: (error) => {
        if (isOutOfConnections(error)) shareConnections();
      },
    }),
    // For a server that does not answer at all: it hangs, or another server has taken over its address.
    query_timeout,
    // A server that has taken over the address does not know our connections and resets them when probed.
    keepAlive: true,
    keepAliveInitialDelayMillis: limits.databaseSilenceMsMax,
  });
  // The pool removes a connection that breaks while idle, and the next query opens a new one.
  pool.on('error', () => {});
  dropIdleTogether(pool);

  let connected = 0;
  pool.on('connect', () => {
    connected += 1;
  });
  pool.on('remove', () => {
    connected -= 1;
  });
  /** When the server has no connection left for us, those that are open serve all callers for a while. */
  const shareConnections = () => {
    setConnectionsMax(pool, Math.max(connected, 1));
    setTimeout(() => setConnectionsMax(pool, max), limits.databaseShareMs).unref();
  };
  return pool;
}

/** Whatever ended one connection has usually ended all of them, and a dead idle one costs its next user a timeout. */
function dropIdleTogether(pool: pg.Pool): void {
  const idle = new Set<pg.PoolClient>();
  const dropIdle = () => {
    for (const client of idle) destroySocket(client);
    idle.clear();
  };
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (error, client) => {
    idle.add(client);
    if (isMute(error)) dropIdle();
  });
  pool.on('remove', (client) => idle.delete(client));
  // A dying server can cause several error events. The running statement reports the first one; an event without a
  // listener would end the process.
  pool.on('connect', (client) => client.on('error', dropIdle));
}

/** Nothing was sent yet, so a retry is safe: it gets one of the open connections. */
export function mayShareConnection(pool: pg.Pool, error: unknown): boolean {
  return isOutOfConnections(error) && pool.totalCount > 0;
}
