/** The documented way to use `pg`: each statement is sent after the answer to the one before it. */
import type pg from 'pg';
import { begin, type Send, type Statement, type StatementResult } from './statement.ts';
import type { Transport } from './transport.ts';

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
  let previous: Promise<unknown> = Promise.resolve();
  return (statement) => {
    const result = previous.then(() => sendAlone(client, statement));
    previous = result.catch(() => {});
    return result;
  };
}
