/**
 * Transports for what may be in front of the server, or behind it. With a pooler, two transactions of one connection may run in different sessions of the server.
 * So every statement runs in a transaction, and every transaction sets what it depends on.
 */
import type pg from 'pg';
import { type PoolPurpose, setForTransaction } from './session-settings.ts';
import {
  inTurn,
  isPrepared,
  type Send,
  type Statement,
  type StatementResult,
  type Transport,
} from './statement.ts';

/** As plain text: a pooler takes statements that the server skipped after a failure for prepared. */
const commit: Statement = { text: 'commit' };

export function pooledTransport(inner: Transport, purpose: PoolPurpose): Transport {
  const begin: Statement = {
    text: `begin isolation level read committed; ${setForTransaction(purpose)}`,
  };
  const sendAlone = async (client: pg.PoolClient, statement: Statement) => {
    // Text without values may hold several statements, and begin a transaction itself.
    if (!isPrepared(statement)) return inner.sendAlone(client, statement);
    return runInTransaction(
      inner.openPipeline(client, () => undefined),
      begin,
      statement,
    );
  };
  return {
    isPipelined: inner.isPipelined,
    isSpoiltByFailure: true,
    begin,
    sendAlone,
    // One after the other: a failed one must have ended before the next begins.
    openSeparate: (client) => inTurn((statement) => sendAlone(client, statement)),
    openPipeline: inner.openPipeline,
  };
}

async function runInTransaction(send: Send, begin: Statement, statement: Statement) {
  // The commit of a failed transaction rolls it back.
  const [, result, committed] = await settled([send(begin), send(statement), send(commit)]);
  if (!result || committed?.command !== 'COMMIT') throw new Error('a statement was rolled back');
  return result;
}

/** Waits for all, then throws the first failure. */
async function settled<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}

/** For the coordinator of a Citus cluster: sends a statement as it is written for one, where it has that. */
export function clusterTransport(inner: Transport): Transport {
  const choosing =
    (send: Send): Send =>
    (statement) => {
      const { perAccount } = statement;
      return perAccount ? sendAll(send, perAccount()) : send(choose(statement));
    };
  return {
    ...inner,
    sendAlone: (client, statement) =>
      statement.perAccount
        ? sendAll(inner.openSeparate(client), statement.perAccount())
        : inner.sendAlone(client, choose(statement)),
    openSeparate: (client) => choosing(inner.openSeparate(client)),
    openPipeline: (client, findObstacle) => choosing(inner.openPipeline(client, findObstacle)),
  };
}

async function sendAll(send: Send, statements: readonly Statement[]): Promise<StatementResult> {
  const results = await settled(statements.map(send));
  return {
    rows: results.flatMap(({ rows }) => rows),
    rowCount: results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0),
    command: results[0]?.command ?? '',
  };
}

function choose({ onCluster, ...statement }: Statement): Statement {
  const chosen = onCluster?.();
  if (chosen === undefined) return statement;
  const { name: _, ...unnamed } = statement;
  return { ...unnamed, ...chosen };
}
