/** `GET /` leads to the API reference, for everybody who would accept a page. */
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';

type Query = Readonly<Record<string, unknown>>;

export function addHomePage(app: FastifyInstance): void {
  app.get<{ Querystring: Query }>('/', {
    handler: async ({ headers, query }, reply) => {
      // Where a shipped browser client sends the consumer. The checkout takes the token out of the address.
      if (typeof query.token === 'string') {
        const token = encodeURIComponent(query.token);
        return reply
          .header('referrer-policy', 'no-referrer')
          .redirect(`checkout?token=${token}`, 303);
      }
      const acceptsPage = /text\/html|\*\/\*/.test(headers.accept ?? '*/*');
      if (!acceptsPage) throw new ServiceError('NOT_FOUND');
      return reply.header('vary', 'accept').redirect('docs/', 302);
    },
  });
}
