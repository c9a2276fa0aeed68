/**
 * For a pooler in front of the server: two transactions of one connection may run in different sessions of the server.
 * So every statement runs in a transaction, and every transaction sets what it depends on.
 */
import type pg from 'pg';
import { type PoolPurpose, setForTransaction } from './session-settings.ts';
import { isPrepared, type Send, type Statement, type StatementResult } from './statement.ts';
import type { Transport } from './transport.ts';

const commit: Statement = { name: 'commit', text: 'commit' };

export function pooledTransport(inner: Transport, purpose: PoolPurpose): Transport {
  const begin: readonly Statement[] = [
    { name: 'begin-read-committed', text: 'begin isolation level read committed' },
    { name: `settings-of-${purpose}`, text: setForTransaction(purpose) },
  ];
  const sendAlone = async (client: pg.PoolClient, statement: Statement) => {
    // Text without values may hold several statements, and begin a transaction itself.
    if (!isPrepared(statement)) return inner.sendAlone(client, statement);
    return runInTransaction(inner.openPipeline(client, nothing), begin, statement);
  };
  return {
    isPipelined: inner.isPipelined,
    begin,
    sendAlone,
    // One after the other: a failed one must be rolled back before the next begins.
    openSeparate: (client) => {
      let previous: Promise<unknown> = Promise.resolve();
      return (statement) => {
        const result = previous.then(() => sendAlone(client, statement));
        previous = result.catch(nothing);
        return result;
      };
    },
    openPipeline: inner.openPipeline,
  };
}

async function runInTransaction(
  send: Send,
  begin: readonly Statement[],
  statement: Statement,
): Promise<StatementResult> {
  const sent = [...begin, statement, commit].map((one) => send(one));
  const outcomes = await Promise.allSettled(sent);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await send({ text: 'rollback' });
    throw failed.reason;
  }
  const [result, committed] = await Promise.all(sent.slice(-2));
  if (!result || committed?.command !== 'COMMIT') throw new Error('a statement was rolled back');
  return result;
}

function nothing(): undefined {
  return undefined;
}
