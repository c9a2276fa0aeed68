/**
 * Chooses the transport of a pool once, on its first connection: pipelined when the check passes, otherwise plain `pg`
 * with one report. Pipelining relies on undocumented parts of the driver, so an upgrade must not stop the service.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Server } from './address.ts';
import { isUnavailable, PipeliningFailed } from './error-classes.ts';
import { databaseLimits } from './limits.ts';
import { pipelinedTransport } from './pipeline.ts';
import { checkPipelining, type PipelineCheck } from './pipeline-check.ts';
import { probeServer } from './probe.ts';
import {
  begin,
  inTurn,
  type Send,
  type Statement,
  type StatementResult,
  type Transport,
} from './statement.ts';

export type TransportOptions = {
  /** Called once when the database is used without pipelining. */
  readonly onFallback?: (reason: Error) => void;
  /** Replaced by tests that force the fallback. */
  readonly checkPipelining?: PipelineCheck;
};

export type TransportChoice = ReturnType<typeof chooseTransport>;

export function chooseTransport(
  currentServer: () => Server,
  isPooled: () => boolean,
  { onFallback, checkPipelining: check = checkPipelining }: TransportOptions,
) {
  /** Undefined until a connection has been checked. */
  let chosen: Transport | undefined;
  return {
    current: () => chosen,
    /** Throws when the database went away, or when this connection must be replaced by one for plain `pg`. */
    check: async (client: pg.PoolClient) => {
      try {
        await withinTime(check(client, isPooled()), currentServer());
        chosen ??= pipelinedTransport;
        return chosen;
      } catch (error) {
        if (isUnavailable(error)) throw error;
        // Connections opened at the same time are checked as well; the first verdict counts.
        if (chosen === undefined) {
          chosen = plainTransport;
          onFallback?.(error as Error);
        }
        throw new PipeliningFailed('this connection cannot pipeline', { cause: error });
      }
    },
  };
}

/** A check without an answer is the driver's fault only when the server answers another client. */
async function withinTime(checked: Promise<void>, server: Server): Promise<void> {
  const timeout = new AbortController();
  const late = delay(databaseLimits.databaseConnectMsMax, 'late', { signal: timeout.signal });
  try {
    if ((await Promise.race([checked, late])) !== 'late') return;
  } finally {
    timeout.abort();
    late.catch(() => {});
    checked.catch(() => {});
  }
  await probeServer(server, databaseLimits.databaseConnectMsMax);
  throw new Error('pipelined statements were not answered');
}

/** The documented way to use `pg`: each statement is sent after the answer to the one before it. */
export const plainTransport: Transport = {
  isPipelined: false,
  isSpoiltByFailure: false,
  begin,
  sendAlone,
  openSeparate: sendOneByOne,
  openPipeline: sendOneByOne,
};

async function sendAlone(client: pg.PoolClient, statement: Statement): Promise<StatementResult> {
  const { rows, rowCount, command } = await client.query(statement as pg.QueryConfig);
  return { rows: rows as never[], rowCount, command };
}

function sendOneByOne(client: pg.PoolClient): Send {
  return inTurn((statement) => sendAlone(client, statement));
}
