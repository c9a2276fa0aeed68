/** CORS: there is no cookie, so any origin may call the routes that accept an order token. Contract 2.11. */
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from './guard.ts';

/** True for routes that accept an order token, and for refresh-token. */
export function allowsCrossOrigin(config: FastifyContextConfig | undefined): boolean {
  const open: readonly (Access | undefined)[] = ['order', 'anyone'];
  return open.includes(config?.access);
}

/** A path that a page misspelt, or that this version does not have: the page must be able to read the 404. */
function isUnknownPath({ is404, url }: FastifyRequest): boolean {
  return is404 && /^\/api\/v[23]\/(?!webhooks(?:[/?]|$))/.test(url);
}

/** On every reply of such a route, errors included: without these headers a page cannot read the error. */
export function addCrossOriginHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (!allowsCrossOrigin(request.routeOptions.config) && !isUnknownPath(request)) return;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', 'Idempotent-Replayed, Retry-After, x-request-id');
}

/** A browser sends the call itself, and reads its 404, only after this. */
export function isPreflightOfUnknownPath(request: FastifyRequest): boolean {
  const isPreflight = request.headers['access-control-request-method'] !== undefined;
  return isPreflight && request.method === 'OPTIONS' && isUnknownPath(request);
}

export function answerPreflight(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-origin', '*')
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', 'authorization, content-type, idempotency-key, *')
    .header('access-control-max-age', '7200');
}
