/** Spans for statements, calls to providers and events. No trace header is sent along (docs/decisions/0055). */
import type { Attributes } from '@opentelemetry/api';
import type { Database, Queryable } from '../postgres/database.ts';
import type { CallProvider } from '../providers/call.ts';
import type { SendEvent } from '../services/event-sender.ts';
import { fail, type Spans } from './spans.ts';

export function traceProviderCalls(spans: Spans, call: CallProvider): CallProvider {
  return (api, request) => {
    const attributes = { ...hostOf(api.url), 'http.request.method': request.method };
    return spans.trace('provider call', attributes, spans.findActive(), async (span) => {
      const answer = await call(api, request);
      span.setAttribute('provider.outcome', answer.kind);
      span.setAttribute('provider.tries', answer.tries);
      if (answer.kind !== 'not-sent' && answer.status !== null)
        span.setAttribute('http.response.status_code', answer.status);
      if (answer.kind !== 'answered') fail(span, answer.kind);
      return answer;
    });
  };
}

/** The first span of a trace: an event is sent after the change that it announces, and again for days. */
export function traceEvents(spans: Spans, send: SendEvent): SendEvent {
  return (event) => {
    const id = event.headers['webhook-id'];
    const attributes = { ...hostOf(event.url), ...(id !== undefined && { 'event.id': id }) };
    return spans.trace('event delivery', attributes, undefined, async (span) => {
      const sent = await send(event);
      if (sent.status === null) fail(span, 'unreachable');
      else span.setAttribute('http.response.status_code', sent.status);
      if (sent.status !== null && sent.status >= 300) fail(span, String(sent.status));
      return sent;
    });
  };
}

/** Paths and queries may contain secrets. */
function hostOf(url: string): { readonly 'server.address': string } {
  return { 'server.address': URL.canParse(url) ? new URL(url).host : 'unknown' };
}

const system: Attributes = { 'db.system.name': 'postgresql' };

/** Names, never values, and only what somebody waits for: loops would make a trace every few milliseconds. */
export function traceDatabase(spans: Spans, database: Database): Database {
  const traced = <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const parent = spans.findActive();
    if (!parent) return work();
    return spans.trace(name, system, parent, work);
  };
  // The statement is issued before this returns: the order of statements matters (`inOrder` of src/postgres/statement.ts).
  const queryOf =
    ({ query }: Queryable): Queryable['query'] =>
    (statement) =>
      traced(statement.name ?? 'statement', () => query(statement));
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
