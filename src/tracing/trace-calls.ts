/**
 * Spans for calls to providers and for events to shops: the host, the status and the outcome. No trace header is sent
 * along, because neither belongs to the operator (docs/decisions/0055).
 */
import type { Span } from '@opentelemetry/api';
import type { Answer, CallProvider } from '../providers/call.ts';
import type { SendEvent } from '../services/event-sender.ts';
import { fail, SpanKind, type Spans } from './spans.ts';

export function traceProviderCalls(spans: Spans, call: CallProvider): CallProvider {
  return (api, request) => {
    const attributes = { ...hostOf(api.url), 'http.request.method': request.method };
    const description = { name: 'provider call', kind: SpanKind.CLIENT, attributes };
    return spans.trace(description, spans.findActive(), async (span) => {
      const answer = await call(api, request);
      recordAnswer(span, answer);
      return answer;
    });
  };
}

function recordAnswer(span: Span, answer: Answer): void {
  span.setAttribute('provider.outcome', answer.kind);
  span.setAttribute('provider.tries', answer.tries);
  if (answer.kind !== 'not-sent' && answer.status !== null)
    span.setAttribute('http.response.status_code', answer.status);
  if (answer.kind !== 'answered') fail(span, answer.kind);
}

/** The first span of a trace: an event is sent after the change that it announces, and again for days. */
export function traceEvents(spans: Spans, send: SendEvent): SendEvent {
  return (event) => {
    const id = event.headers['webhook-id'];
    const attributes = { ...hostOf(event.url), ...(id !== undefined && { 'event.id': id }) };
    const description = { name: 'event delivery', kind: SpanKind.CLIENT, attributes };
    return spans.trace(description, undefined, async (span) => {
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
