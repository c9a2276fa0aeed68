/** Prepares a new connection: sets what the service depends on, and refuses a server that cannot be written to. */
import type pg from 'pg';
import type { Server } from './address.ts';
import { StandbyError } from './error-classes.ts';
import { announcedPidOf } from './pg-internals.ts';
import { checkPooler } from './pooler-check.ts';
import { describeSession, type PoolPurpose } from './session-settings.ts';

type Described = Readonly<
  Record<'is_pooled' | 'is_standby' | 'is_read_only' | 'has_workers', boolean>
>;

export type ConnectionPreparation = ReturnType<typeof prepareConnections>;

export function prepareConnections(purpose: PoolPurpose) {
  /** True if a pooler such as PgBouncer shares the connections of the server. Known after the first connection. */
  let isPooled = false;
  /** True if the server is the coordinator of a Citus cluster. Known after the first connection. */
  let hasWorkers = false;
  /** The same for all connections, so it is checked on the first one. */
  let poolerCheck: Promise<void> | undefined;
  return {
    isPooled: () => isPooled,
    hasWorkers: () => hasWorkers,
    prepare: async (client: pg.ClientBase, server: Server) => {
      const text = describeSession(purpose, announcedPidOf(client));
      const [found] = (await client.query<Described>(text)).rows;
      if (found?.is_standby || found?.is_read_only) throw new StandbyError();
      isPooled = found?.is_pooled ?? false;
      hasWorkers = found?.has_workers ?? false;
      if (!isPooled) return;
      poolerCheck ??= checkPooler(server);
      try {
        await poolerCheck;
      } catch (error) {
        poolerCheck = undefined;
        throw error;
      }
    },
  };
}
