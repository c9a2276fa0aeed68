/**
 * `GET /l/<link_id>`: a payment link, as a shop sends it to a consumer. It redirects to the checkout with a new order
 * token. Contract 14.6.
 */
import type { FastifyPluginAsync } from 'fastify';
import type { Edge } from '../edge.ts';
import { prepareErrorReply } from '../error-reply.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { sendUnknown } from './launch-page.ts';
import { escapeHtml, sendPage } from './page.ts';

type Params = { readonly link_id: string };

export function paymentLinkRoute({ useCases }: Edge): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    app.setErrorHandler((failure, request, reply) => {
      const { entry } = prepareErrorReply(
        failure as Parameters<typeof prepareErrorReply>[0],
        request,
        reply,
      );
      const content = `<p>${escapeHtml(entry.consumerMessage)}</p>`;
      return sendPage(reply, { content, formAction: [] });
    });

    app.get<{ Params: Params }>('/l/:link_id', {
      schema: { hide: true },
      handler: async ({ params }, reply) => {
        const opened = await useCases.openLink(params.link_id);
        switch (opened.kind) {
          case 'unknown':
            return sendUnknown(reply);
          // The checkout shows that a closed order is paid or expired.
          case 'closed':
          case 'open': {
            // The token must not be in the Referer of what the checkout loads.
            reply.header('referrer-policy', 'no-referrer');
            // Relative, because PUBLIC_URL may have a path.
            return reply.redirect(`../checkout?token=${opened.token.token}`, 303);
          }
          default:
            return opened satisfies never;
        }
      },
    });
    refuseOtherMethods();
  };
}
