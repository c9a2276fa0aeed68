/** A known path called with a method it does not take answers 405 with `Allow`, not 404. */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { ServiceError } from '../domain/errors.ts';

/** Call it first in a scope; call what it returns when all routes of the scope are there. */
export function watchRoutes(app: FastifyInstance): () => void {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook('onRoute', (route) => {
    const methods = methodsByUrl.get(route.routePath) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    methodsByUrl.set(route.routePath, methods);
  });
  return () => {
    for (const [url, taken] of [...methodsByUrl]) {
      const allow = [...taken].sort().join(', ');
      app.route({
        method: app.supportedMethods.filter((method) => !taken.has(method)) as HTTPMethods[],
        url,
        config: { access: 'public' },
        schema: { hide: true },
        // Before anything of the body is read: the path does not take it, whatever it is.
        onRequest: async (_request, reply) => {
          reply.header('allow', allow);
          throw new ServiceError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`);
        },
        handler: async () => undefined,
      });
    }
  };
}
