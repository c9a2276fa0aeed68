/** The connection pool: its limits and timeouts, and what happens to connections when the server goes away. */
import pg from 'pg';
import { isMute, isOutOfConnections, isReadOnly, isUnprepared } from './error-classes.ts';
import { databaseLimits } from './limits.ts';
import { clientClass, destroySocket, setConnectionsMax } from './pg-internals.ts';
import type { ConnectionPreparation } from './prepare-connection.ts';
import type { Servers } from './servers.ts';
import type { PoolPurpose } from './session-settings.ts';

const answerMsMax: Readonly<Record<PoolPurpose, number>> = {
  requests: databaseLimits.databaseAnswerMsMax,
  maintenance: databaseLimits.maintenanceAnswerMsMax,
};

type PoolOptions = {
  readonly isPipelined: () => boolean;
  readonly purpose: PoolPurpose;
  readonly connectMsMax: number;
  readonly connectionsMax: number;
  readonly servers: Servers;
  readonly preparation: ConnectionPreparation;
};

export function openPool(options: PoolOptions): pg.Pool {
  const { isPipelined, purpose, connectMsMax, connectionsMax, servers, preparation } = options;
  const pool = new pg.Pool({
    application_name: 'payment-order-service',
    max: connectionsMax,
    // The time to wait for a free connection. Opening a new one has a shorter limit of its own.
    connectionTimeoutMillis: databaseLimits.databaseQueueMsMax,
    Client: clientClass({
      connectMsMax,
      isPipelined,
      servers,
      onConnect: (error, client) => {
        if (isOutOfConnections(error)) shareConnections();
        else if (error) servers.giveUp(client, error);
      },
    }),
    onConnect: async (client) => {
      try {
        await preparation.prepare(client, servers.serverOf(client));
      } catch (error) {
        servers.giveUp(client, error);
        throw error;
      }
    },
    // For a server that does not answer at all: it hangs, or another server has taken over its address.
    query_timeout: answerMsMax[purpose],
    // A server that has taken over the address does not know our connections and resets them when probed.
    keepAlive: true,
    keepAliveInitialDelayMillis: databaseLimits.databaseSilenceMsMax,
  });
  // The pool removes a connection that breaks while idle, and the next query opens a new one.
  pool.on('error', () => {});
  dropAllIdle(pool);

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
    setTimeout(
      () => setConnectionsMax(pool, connectionsMax),
      databaseLimits.databaseShareMs,
    ).unref();
  };
  return pool;
}

/** Whatever ended one connection has usually ended all of them, and a dead idle one costs its next user a timeout. */
function dropAllIdle(pool: pg.Pool): void {
  const idle = new Set<pg.PoolClient>();
  const dropIdle = () => {
    for (const client of idle) destroySocket(client);
    idle.clear();
  };
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (error, client) => {
    idle.add(client);
    if (isMute(error) || isReadOnly(error) || isUnprepared(error)) dropIdle();
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
