/** `GET /` leads to the API reference, for everybody who would accept a page. */
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';

type Query = Readonly<Record<string, unknown>>;

export function addHomePage(app: FastifyInstance): void {
  app.get<{ Querystring: Query }>('/', {
    schema: { hide: true },
    handler: async ({ headers, query }, reply) => {
      // `?token=` belongs to the checkout of an order: it must not end in the address of another page.
      if ('token' in query) throw new ServiceError('NOT_FOUND');
      const acceptsPage = /text\/html|\*\/\*/.test(headers.accept ?? '*/*');
      if (!acceptsPage) throw new ServiceError('NOT_FOUND');
      return reply.header('vary', 'accept').redirect('docs/', 302);
    },
  });
}
