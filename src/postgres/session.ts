/** One connection of the pool in use, with the transport that its statements take. */
import type pg from 'pg';
import { ServiceError } from '../domain/errors.ts';
import type { TransportChoice } from './choose-transport.ts';
import { isSpoilt, warnsOfLostWait } from './error-classes.ts';
import type { Transport } from './statement.ts';

/** A connection can break between two statements. A broken one is removed from the pool. */
type Health = {
  broken?: Error;
  /** The server warned that it no longer waits for its synchronous standby: a failover could lose the commit. */
  isUnreplicated?: boolean;
};

export type Session = {
  readonly client: pg.PoolClient;
  readonly transport: Transport;
  readonly health: Health;
};

export async function withSession<Result>(
  pool: pg.Pool,
  transports: TransportChoice,
  use: (session: Session) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const health: Health = {};
  const onError = (error: Error) => {
    health.broken = error;
  };
  const onNotice = (notice: unknown) => {
    if (warnsOfLostWait(notice)) health.isUnreplicated = true;
  };
  client.on('error', onError);
  client.on('notice', onNotice);
  try {
    const transport = transports.current() ?? (await check(client, transports, health));
    const result = await use({ client, transport, health });
    // It is committed on this server and perhaps nowhere else, so nobody may be told that it was saved.
    if (health.isUnreplicated) throw new ServiceError('SERVICE_UNAVAILABLE');
    return result;
  } catch (error) {
    if (isSpoilt(error)) health.broken = error;
    throw error;
  } finally {
    client.off('error', onError);
    client.off('notice', onNotice);
    client.release(health.broken);
  }
}

/** After a failed check nobody knows which answers are still to come on the connection. */
async function check(client: pg.PoolClient, transports: TransportChoice, health: Health) {
  try {
    return await transports.check(client);
  } catch (error) {
    health.broken = error as Error;
    throw error;
  }
}
