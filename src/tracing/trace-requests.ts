/** A span for each HTTP request, with its route and status; never its URL, headers or body. */
import { type Context, defaultTextMapGetter, ROOT_CONTEXT } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fail, type Spans, spanOf } from './spans.ts';

/** Called every few seconds by machines; their traces would tell nothing. */
const untraced: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export function traceRequests(spans: Spans, app: FastifyInstance): void {
  const propagator = new W3CTraceContextPropagator();
  const contexts = new WeakMap<FastifyRequest, Context>();
  const end = (request: FastifyRequest, status: number | undefined) => {
    const context = contexts.get(request);
    if (!context) return;
    contexts.delete(request);
    const span = spanOf(context);
    if (status === undefined) fail(span, 'client_closed_request');
    else span.setAttribute('http.response.status_code', status);
    if (status !== undefined && status >= 500) fail(span, String(status));
    if (request.foundCaller) span.setAttribute('account.id', request.foundCaller.accountId);
    span.end();
  };
  const continueIn = (request: FastifyRequest, done: () => void) => {
    const context = contexts.get(request);
    if (context) spans.runIn(context, done);
    else done();
  };
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    if (untraced.has(route)) return done();
    const { method, id } = request;
    const attributes = { 'http.request.method': method, 'http.route': route, 'request.id': id };
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    contexts.set(request, spans.startServer(`${method} ${route}`, attributes, parent));
    continueIn(request, done);
  });
  // A request that waited for the concurrency limit was let in by another one, in whose context it runs until here.
  app.addHook('preValidation', (request, _reply, done) => continueIn(request, done));
  app.addHook('onResponse', (request, reply, done) => {
    end(request, reply.statusCode);
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    end(request, undefined);
    done();
  });
}
