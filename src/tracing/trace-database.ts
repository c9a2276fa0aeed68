/**
 * Spans for transactions and statements, by their names; never their values. Only what a request, a call or an event
 * waits for is traced: the loops of the background would produce a trace every few milliseconds.
 */
import type { Attributes } from '@opentelemetry/api';
import type { Database, Queryable, Statement } from '../postgres/database.ts';
import { SpanKind, type Spans } from './spans.ts';

const system: Attributes = { 'db.system.name': 'postgresql' };

export function traceDatabase(spans: Spans, database: Database): Database {
  const traced = <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const parent = spans.findActive();
    if (!parent) return work();
    return spans.trace({ name, kind: SpanKind.CLIENT, attributes: system }, parent, work);
  };
  // The statement is issued before this returns: the order of statements matters (src/postgres/in-order.ts).
  const queryOf =
    ({ query }: Queryable): Queryable['query'] =>
    (statement) =>
      traced(nameOf(statement), () => query(statement));
  return {
    ...database,
    query: queryOf(database),
    pipelined: (work) =>
      traced('pipeline', () =>
        database.pipelined((connection) => work({ ...connection, query: queryOf(connection) })),
      ),
    transaction: (work, afterCommit) =>
      traced('transaction', () =>
        database.transaction((tx) => work({ ...tx, query: queryOf(tx) }), afterCommit),
      ),
  };
}

function nameOf({ name }: Statement): string {
  return name ?? 'statement';
}
