/**
 * `GET /l/<link_id>`: a payment link, as a shop sends it to a consumer. It redirects to the checkout with a new order
 * token. Contract 14.6.
 */
import type { FastifyPluginAsync } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import type { HttpContext } from '../http-context.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { sendCheckoutError } from './error-pages.ts';

type Params = { readonly link_id: string };

export function paymentLinkRoute({ useCases }: HttpContext): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    app.setErrorHandler(sendCheckoutError);

    app.get<{ Params: Params }>('/l/:link_id', {
      config: { bound: 'page' },
      handler: async ({ params }, reply) => {
        const opened = await useCases.openLink(params.link_id);
        if (opened.kind === 'unknown') throw new ServiceError('NOT_FOUND');
        // The checkout shows that a closed order is paid or expired. The token must not be in the Referer of what it
        // loads. The address is relative, because PUBLIC_URL may have a path.
        return reply
          .header('referrer-policy', 'no-referrer')
          .redirect(`../checkout?token=${opened.token.token}`, 303);
      },
    });
    refuseOtherMethods();
  };
}
