/**
 * With LOG_LEVEL=debug every request is logged with its outcome. Bodies, headers and URLs are not: they contain secrets
 * and personal data, so the route is logged instead.
 */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

export function logRequests(app: FastifyInstance, log: Logger): void {
  // Without the hook, the other levels pay nothing for it.
  if (!log.isLevelEnabled('debug')) return;
  app.addHook('onResponse', (request, reply, done) => {
    const about = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      account_id: request.foundCaller?.accountId,
    };
    log.debug(about, 'request');
    done();
  });
}
