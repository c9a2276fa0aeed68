/**
 * `GET /pay/<account_id>/<transaction_id>`: leads the consumer to the provider's payment page. Without scripts the page
 * shows a button.
 */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import type { Launch } from '../../use-cases/checkout/find-launch.ts';
import type { HttpContext } from '../http-context.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { basePathOf } from '../site.ts';
import { brandOf } from './brand.ts';
import { sendCheckoutError } from './error-pages.ts';
import { type Html, html } from './html.ts';
import { icons } from './icons.ts';
import { chooseLanguage, languages } from './language.ts';
import { resultView } from './outcome-view.ts';
import { hiddenForm, sendPage } from './page.ts';
import type { Words } from './words/words.ts';

type Params = { readonly account_id: string; readonly transaction_id: string };

export function launchPage(context: HttpContext): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    app.setErrorHandler(sendCheckoutError);
    app.get<{ Params: Params }>('/pay/:account_id/:transaction_id', {
      config: { bound: 'page' },
      handler: async ({ params }, reply) => {
        const launch = await context.useCases.findLaunch(params.account_id, params.transaction_id);
        return sendLaunch(context, reply, launch, params.transaction_id);
      },
    });
    refuseOtherMethods();
  };
}

function sendLaunch(
  context: HttpContext,
  reply: FastifyReply,
  launch: Launch,
  transactionId: string,
): FastifyReply {
  const language = chooseLanguage(reply.request);
  const words = languages[language];
  if (launch.kind === 'unknown') throw new ServiceError('NOT_FOUND');
  const common = {
    language,
    title: words.launch.heading,
    brand: brandOf(launch.account, basePathOf(context)),
  };
  switch (launch.kind) {
    case 'form': {
      const { action, fields } = launch.form;
      const content = opening(words, hiddenForm(action, fields, words.launch.continue));
      // The provider may redirect to other addresses of its own.
      return sendPage(reply, { ...common, content, formAction: 'anywhere' });
    }
    case 'address': {
      const link = html`<a class="button" href="${launch.url}" data-forward>${words.launch.continue}</a>`;
      const refresh = { seconds: 0, url: launch.url };
      return sendPage(reply, { ...common, content: opening(words, link), refresh, formAction: [] });
    }
    case 'over': {
      // Through our return page, which adds the result.
      const back = `${encodeURIComponent(transactionId)}/return?to=shop`;
      const content = resultView(words, launch.status, { url: launch.hasShop ? back : undefined });
      return sendPage(reply.code(410), { ...common, content, hasScript: false, formAction: [] });
    }
    default:
      return launch satisfies never;
  }
}

function opening({ launch }: Words, way: Html): Html {
  return html`<section class="card stack single"><div class="mark">${icons.lock}</div>
<div role="status" class="stack close"><h1>${launch.heading}</h1><p>${launch.text}</p></div>${way}</section>`;
}
