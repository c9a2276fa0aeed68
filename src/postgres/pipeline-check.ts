/**
 * Checks on a real connection that pipelining works with the installed driver and this server: rows, a failure in the
 * middle of a pipeline, and statements after it.
 */
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { isUnavailable, sqlState } from './error-classes.ts';
import { openPipeline } from './pipeline.ts';
import type { Statement } from './statement.ts';

/** Resolves when pipelining works; rejects with the reason when it does not. */
export type PipelineCheck = (client: pg.PoolClient, isPooled: boolean) => Promise<void>;

const one: Statement = { name: 'check-one', text: 'select 1 as value' };
const two: Statement = { name: 'check-two', text: 'select $1::bigint as value', values: [2] };
/** The server may log its message, so the message says that nothing is wrong. */
const failing: Statement = {
  name: 'check-failing',
  text: 'select $1::text::integer as value',
  values: ['payment-order-service checks its driver; this error is expected'],
};
const skipped: Statement = { name: 'check-skipped', text: 'select 3 as value' };
const unprepared: Statement = { text: 'select 4 as value' };

const rowOf = (value: number) => [{ value }];
const invalidText = '22P02';
const wrongAnswers = 'pipelined statements were answered wrongly';

export async function checkPipelining(client: pg.PoolClient, isPooled: boolean): Promise<void> {
  if (isPooled) {
    // Behind a pooler a connection is not used again after a failure.
    const found = await outcomesOf(client, [one, two, unprepared]);
    if (!isDeepStrictEqual(found, [1, 2, 4].map(rowOf))) throw new Error(wrongAnswers);
    return;
  }
  const [rows, failure] = await Promise.all([
    outcomesOf(client, [one, two]),
    outcomesOf(client, [one, failing, skipped]),
  ]);
  // The driver learns only from the failure that the skipped statement was not prepared.
  const after = await Promise.all([
    outcomesOf(client, [skipped, two]),
    outcomesOf(client, [unprepared]),
  ]);
  const expected = [
    [rowOf(1), rowOf(2)],
    [rowOf(1), invalidText, invalidText],
    [rowOf(3), rowOf(2)],
    [rowOf(4)],
  ];
  if (!isDeepStrictEqual([rows, failure, ...after], expected)) throw new Error(wrongAnswers);
}

/** The rows of each statement, or the SQLSTATE of its error. */
async function outcomesOf(client: pg.PoolClient, statements: readonly Statement[]) {
  const send = openPipeline(client);
  const outcomes = await Promise.allSettled(statements.map((statement) => send(statement)));
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value.rows;
    const state = sqlState(outcome.reason);
    // An error without a code is the driver's own.
    if (state === undefined || isUnavailable(outcome.reason)) throw outcome.reason;
    return state;
  });
}
