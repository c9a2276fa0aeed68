/** Prepares a new connection: sets what the service depends on, and refuses a server that cannot be written to. */
import type pg from 'pg';
import type { Server } from './address.ts';
import { StandbyError } from './error-classes.ts';
import { announcedPidOf } from './pg-internals.ts';
import { checkPooler } from './pooler-check.ts';
import { describeSession, type PoolPurpose } from './session-settings.ts';

type Described = { is_pooled: boolean; is_standby: boolean; is_read_only: boolean };

export type ConnectionPreparation = {
  readonly prepare: (client: pg.ClientBase, server: Server) => Promise<void>;
  /** True if a pooler such as PgBouncer shares the connections of the server. Known after the first connection. */
  readonly isPooled: () => boolean;
};

export function prepareConnections(purpose: PoolPurpose): ConnectionPreparation {
  let isPooled = false;
  /** The same for all connections, so it is checked on the first one. */
  let poolerCheck: Promise<void> | undefined;
  return {
    isPooled: () => isPooled,
    prepare: async (client, server) => {
      const text = describeSession(purpose, announcedPidOf(client));
      const { rows } = await client.query<Described>(text);
      const [found] = rows;
      if (found?.is_standby || found?.is_read_only) throw new StandbyError();
      isPooled = found?.is_pooled ?? false;
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
