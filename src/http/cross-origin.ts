/** CORS: there is no cookie, so any origin may call the routes that accept an order token. Contract 2.11. */
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from './guard.ts';

/** True for routes that accept an order token, and for refresh-token. */
export function allowsCrossOrigin(config: FastifyContextConfig | undefined): boolean {
  const open: readonly (Access | undefined)[] = ['order', 'anyone'];
  return open.includes(config?.access);
}

/** On every reply of such a route, errors included: without these headers a page cannot read the error. */
export function addCrossOriginHeaders({ routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (!allowsCrossOrigin(routeOptions.config)) return;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', 'Idempotent-Replayed, Retry-After, x-request-id');
}

export function answerPreflight(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-origin', '*')
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', 'authorization, content-type, idempotency-key, *')
    .header('access-control-max-age', '7200');
}
