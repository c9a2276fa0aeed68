/** The database handle: statements, pipelines and transactions over one pool, retried where that is safe. */

import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { ServiceError } from '../domain/errors.ts';
import { type DatabaseAddress, serversOf } from './address.ts';
import { chooseTransport, type TransportOptions } from './choose-transport.ts';
import { explainSlowWorker, mayRunAgain, translateDatabaseError } from './error-classes.ts';
import { databaseLimits } from './limits.ts';
import { mayShareConnection, openPool } from './pool.ts';
import { clusterTransport, pooledTransport } from './pooled-transport.ts';
import { type ConnectionPreparation, prepareConnections } from './prepare-connection.ts';
import { createQueueStats, type QueueStats } from './queue-stats.ts';
import { rotateServers } from './servers.ts';
import { type Session, withSession } from './session.ts';
import type { PoolPurpose } from './session-settings.ts';
import type { Queryable, Statement, Transaction, Transport } from './statement.ts';
import { type AfterCommit, runTransaction, type TransactionWork } from './transaction.ts';

export type { DatabaseAddress } from './address.ts';
export type { AnyRow, Queryable, Statement, Transaction } from './statement.ts';

/**
 * A statement outside a transaction is repeated when its connection is lost, so it must be one that can be repeated:
 * a read, or an insert guarded by a unique key.
 */
export type Database = Queryable & {
  /** Statements run in the order in which they are issued, each committed by itself, without waiting for results. */
  readonly pipelined: <Result>(work: (connection: Queryable) => Promise<Result>) => Promise<Result>;
  readonly transaction: <Result, After = Result>(
    work: TransactionWork<Result>,
    afterCommit?: AfterCommit<Result, After>,
  ) => Promise<After>;
  readonly queueStats: QueueStats;
  readonly close: () => Promise<void>;
};

/** The purpose decides the limits and planner settings of the connections; see `session-settings.ts`. */
export type DatabaseOptions = TransportOptions & {
  readonly purpose?: PoolPurpose;
  /** How long opening a connection may take. */
  readonly connectMsMax?: number;
  readonly connectionsMax?: number;
};

const connectionsUsuallyMax: Readonly<Record<PoolPurpose, number>> = {
  requests: databaseLimits.databaseConnectionsMax,
  maintenance: databaseLimits.maintenanceConnectionsMax,
};

export function openDatabase(
  address: DatabaseAddress,
  {
    purpose = 'requests',
    connectMsMax = databaseLimits.databaseConnectMsMax,
    connectionsMax = connectionsUsuallyMax[purpose],
    ...options
  }: DatabaseOptions = {},
): Database {
  const servers = rotateServers(serversOf(address));
  const preparation = prepareConnections(purpose);
  const transports = chooseTransport(servers.current, preparation.isPooled, options);
  const isPipelined = () => transports.current()?.isPipelined ?? true;
  const pool = openPool({
    isPipelined,
    purpose,
    connectMsMax,
    connectionsMax,
    servers,
    preparation,
  });
  const queueStats = createQueueStats();
  const { onShed } = queueStats.addQueue('connections', () => pool.waitingCount);
  const attempt = <Result>(use: (session: Session) => Promise<Result>) =>
    retry(
      async () => {
        shedWhenFull(pool, onShed);
        return withSession(pool, transports, (session) =>
          use({ ...session, transport: adapt(session.transport, preparation, purpose) }),
        ).catch((error) => {
          throw preparation.hasWorkers() ? explainSlowWorker(error) : error;
        });
      },
      (error) => mayRunAgain(error) || mayShareConnection(pool, error) || servers.mayTryNext(error),
    );
  return {
    query: (statement) => attempt((session) => runAlone(session, statement)) as never,
    pipelined: (work) => attempt((session) => runSeparately(session, work)),
    transaction: (work, afterCommit) =>
      attempt((session) => runTransaction(session, work, afterCommit)),
    queueStats,
    close: () => pool.end(),
  };
}

/** Poolers and clusters are recognised when the first connection is open. */
function adapt(
  transport: Transport,
  { isPooled, hasWorkers }: ConnectionPreparation,
  purpose: PoolPurpose,
): Transport {
  const direct = isPooled() ? pooledTransport(transport, purpose) : transport;
  return hasWorkers() ? clusterTransport(direct) : direct;
}

async function runAlone({ client, transport, health }: Session, statement: Statement) {
  try {
    return await transport.sendAlone(client, statement);
  } catch (error) {
    // The text may have begun a transaction before it failed, so the connection is not used again.
    health.broken = error as Error;
    throw error;
  }
}

async function runSeparately<Result>(
  { client, transport, health }: Session,
  work: (connection: Queryable) => Promise<Result>,
): Promise<Result> {
  const send = transport.openSeparate(client);
  const sent: Promise<unknown>[] = [];
  const query: Queryable['query'] = (statement) => {
    const result = send(statement).catch((error: Error) => {
      if (transport.isSpoiltByFailure) health.broken ??= error;
      throw error;
    });
    sent.push(result);
    return result as never;
  };
  try {
    return await work({ query });
  } finally {
    // The connection goes back to the pool only after all of its answers have arrived.
    await Promise.allSettled(sent);
  }
}

/** A lock that is not granted within this time fails the transaction, which can then be retried in smaller parts. */
export async function limitLockWait(tx: Transaction): Promise<void> {
  const text = `set local lock_timeout = ${databaseLimits.batchLockMsMax}`;
  await tx.query({ name: text, text });
}

/** Contract 8.2: beyond this length, waiting longer only delays the refusal. */
function shedWhenFull(pool: pg.Pool, onShed: () => void): void {
  if (pool.waitingCount < databaseLimits.databaseQueueMax) return;
  onShed();
  throw new ServiceError('SERVICE_UNAVAILABLE');
}

/** Waits a random, growing time between attempts, so that two transactions do not collide again. */
async function retry<Result>(
  attempt: () => Promise<Result>,
  mayRetry: (error: unknown) => boolean,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= databaseLimits.transactionAttemptsMax || !mayRetry(error))
        throw translateDatabaseError(error);
      await delay(Math.random() * 2 ** tried);
    }
  }
}
