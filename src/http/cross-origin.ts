/**
 * Calls from a page of the shop, which is of another origin. The token travels in a header and there is no
 * cookie, so every origin may call what an order token opens, and nothing else. Contract 2.11.
 */
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from './guard.ts';

/** Routes that take an order token, and refresh-token. */
export function isOpenToPages(config: FastifyContextConfig | undefined): boolean {
  const open: readonly (Access | undefined)[] = ['order', 'anyone'];
  return open.includes(config?.access);
}

/** On every reply of such a route, errors too: otherwise the page could not read what went wrong. */
export function addCrossOriginHeaders({ routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (!isOpenToPages(routeOptions.config)) return;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', 'Idempotent-Replayed, Retry-After, x-request-id');
}

/** A browser asks before it calls; the answer holds for two hours. */
export function answerPreflight(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-origin', '*')
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', 'authorization, content-type, idempotency-key, *')
    .header('access-control-max-age', '7200');
}
