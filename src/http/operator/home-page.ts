/** `GET /`: shows a browser the API reference. Programs get the 404 of an unknown path. */
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';

type Query = Readonly<Record<string, unknown>>;

export function addHomePage(app: FastifyInstance): void {
  app.get<{ Querystring: Query }>('/', {
    schema: { hide: true },
    handler: async ({ headers, query }, reply) => {
      // `?token=` belongs to the checkout of an order: it must not end in the address of another page.
      if ('token' in query) throw new ServiceError('NOT_FOUND');
      if (!headers.accept?.includes('text/html')) throw new ServiceError('NOT_FOUND');
      return reply.header('vary', 'accept').redirect('docs/', 302);
    },
  });
}
