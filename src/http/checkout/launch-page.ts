/**
 * `GET /pay/<account_id>/<transaction_id>`: forwards the consumer to a provider whose payment page is
 * reached by posting a form. Without scripts the page shows a button.
 */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { Launch } from '../../use-cases/payments/find-launch.ts';
import type { Edge } from '../edge.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { escapeHtml, hiddenForm, sendPage } from './page.ts';

type Params = { readonly account_id: string; readonly transaction_id: string };

export function launchPage({ useCases }: Edge): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    app.get<{ Params: Params }>('/pay/:account_id/:transaction_id', {
      schema: { hide: true },
      handler: async ({ params }, reply) => {
        const launch = await useCases.findLaunch(params.account_id, params.transaction_id);
        return sendLaunch(reply, launch, params.transaction_id);
      },
    });
    refuseOtherMethods();
  };
}

function sendLaunch(reply: FastifyReply, launch: Launch, transactionId: string): FastifyReply {
  switch (launch.kind) {
    case 'form': {
      const { action, fields } = launch.form;
      return sendPage(reply, {
        content: `<p>${escapeHtml(launch.shopName)}: you are taken to the payment page.</p>
${hiddenForm(action, fields, 'Continue')}`,
        script: 'document.forms[0].submit()',
        // The provider may redirect to other addresses of its own.
        formAction: 'anywhere',
      });
    }
    case 'over': {
      // Through our return page, which adds the result.
      const back = `${encodeURIComponent(transactionId)}/return`;
      const link = launch.hasShop ? `<a href="${escapeHtml(back)}">Back to the shop</a>` : '';
      const content = `<p>This payment is over.</p>${link}`;
      return sendPage(reply.code(410), { content, formAction: [] });
    }
    case 'unknown':
      return sendUnknown(reply);
    default:
      return launch satisfies never;
  }
}

export function sendUnknown(reply: FastifyReply): FastifyReply {
  const content = '<p>There is no such payment.</p>';
  return sendPage(reply.code(404), { content, formAction: [] });
}
