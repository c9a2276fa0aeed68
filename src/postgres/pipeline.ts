/**
 * Pipelining: statements issued in the same tick leave in one write with one Sync behind them, and their answers come
 * back together. `pg` by itself sends a Sync behind each statement, so the server answers each in a write of its own,
 * and requests the columns of every result again.
 */
import type pg from 'pg';
import { corkUntilNextTick, sendPipeline } from './pg-internals.ts';
import { PipelinedStatement } from './pipelined-statement.ts';
import {
  begin,
  isPrepared,
  type Send,
  type Statement,
  type StatementResult,
  type Transport,
} from './statement.ts';

export const pipelinedTransport: Transport = {
  isPipelined: true,
  isSpoiltByFailure: false,
  begin,
  sendAlone,
  openSeparate: (client) => (statement) => {
    corkUntilNextTick(client);
    return sendAlone(client, statement);
  },
  openPipeline,
};

/** For use inside a transaction: when one statement fails, the server skips those behind it and they fail too. */
export function openPipeline(
  client: pg.PoolClient,
  findObstacle: () => Error | undefined = () => undefined,
): Send {
  let pending: PipelinedStatement[] = [];
  const flush = () => {
    if (pending.length === 0) return;
    const statements = pending;
    pending = [];
    try {
      const obstacle = findObstacle();
      if (obstacle) throw obstacle;
      sendPipeline(client, statements);
    } catch (error) {
      // Outside of a promise, an error of the driver would end the process.
      for (const pipelined of statements) pipelined.fail(error as Error);
    }
  };
  return (statement) => {
    if (!isPrepared(statement)) {
      flush();
      return sendAlone(client, statement);
    }
    if (pending.length === 0) process.nextTick(flush);
    const pipelined = new PipelinedStatement(statement);
    pending.push(pipelined);
    return pipelined.result;
  };
}

function sendAlone(client: pg.PoolClient, statement: Statement): Promise<StatementResult> {
  if (!isPrepared(statement)) return client.query(statement as pg.QueryConfig) as Promise<never>;
  const pipelined = new PipelinedStatement(statement);
  sendPipeline(client, [pipelined], { completesAtSync: true });
  return pipelined.result;
}
