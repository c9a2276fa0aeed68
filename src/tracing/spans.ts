/** Starts and ends spans. The context travels in a storage of our own, so nothing is registered globally. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

export type Spans = ReturnType<typeof createSpans>;

export function createSpans(tracer: Tracer) {
  const storage = new AsyncLocalStorage<Context>();
  const start = (name: string, kind: SpanKind, attributes: Attributes, parent: Context) =>
    trace.setSpan(parent, tracer.startSpan(name, { kind, attributes }, parent));
  return {
    /** For a request, which ends its span itself. */
    startServer: (name: string, attributes: Attributes, parent: Context) =>
      start(name, SpanKind.SERVER, attributes, parent),
    runIn: <Result>(context: Context, work: () => Result) => storage.run(context, work),
    /** The context of a span that has not ended. Work that a request leaves behind must not extend its trace. */
    findActive: () => {
      const context = storage.getStore();
      return context && spanOf(context).isRecording() ? context : undefined;
    },
    /** Runs the work in a span: a part of the active one, else the first of a trace. */
    trace: async <Result>(
      name: string,
      attributes: Attributes,
      parent: Context | undefined,
      work: (span: Span) => Promise<Result>,
    ) => {
      const context = start(name, SpanKind.CLIENT, attributes, parent ?? ROOT_CONTEXT);
      const span = spanOf(context);
      try {
        return await storage.run(context, () => work(span));
      } catch (error) {
        fail(span, nameOfError(error));
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

export function spanOf(context: Context): Span {
  const span = trace.getSpan(context);
  if (!span) throw new Error('the context has no span');
  return span;
}

export function fail(span: Span, errorType: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', errorType);
}

/** The message of an error may quote values of rows or of requests, so only its code or class is recorded. */
function nameOfError(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : typeof error;
}
