/**
 * `/pay/<account_id>/<transaction_id>/return`: where a provider sends the consumer back to. A consumer who pays on our
 * checkout page gets back to it. For a payment that the shop started, the page waits for the result and forwards the
 * consumer to the shop with it. It needs no cookie, because a provider's form is posted from another site, and trusts
 * nothing that the browser sends. Contract 11.10 and 14.1.
 */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import { listPaidFields } from '../../use-cases/checkout/find-return.ts';
import type { HttpContext } from '../http-context.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { basePathOf, isSecureSite } from '../site.ts';
import { brandOf } from './brand.ts';
import { readCheckoutToken } from './cookies.ts';
import { sendCheckoutError } from './error-pages.ts';
import { html } from './html.ts';
import { icons } from './icons.ts';
import { chooseLanguage, languages } from './language.ts';
import { resultView } from './outcome-view.ts';
import { hiddenForm, sendPage } from './page.ts';
import {
  encodeReturn,
  type KnownReturn,
  redirectUrl,
  returnPayload,
  type WaitingReturn,
} from './return-view.ts';

type Params = { readonly account_id: string; readonly transaction_id: string };
type Query = Readonly<Record<string, unknown>>;

const path = '/pay/:account_id/:transaction_id/return';

export function returnPage(context: HttpContext): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    const paidFields = ['paid', ...listPaidFields()];
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, String(body)),
    );
    // The consumer may have paid, so an error of the service is a page that tries again.
    app.setErrorHandler(sendCheckoutError);

    app.get<{ Params: Params; Querystring: Query }>(path, {
      config: { bound: 'page' },
      handler: async ({ params, query }, reply) => {
        const saysPaid = paidFields.some((name) => query[name] !== undefined);
        const isToShop = query.to === 'shop';
        const found = await context.useCases.findReturn(params.account_id, params.transaction_id, {
          untilMs: isToShop ? 0 : readUntil(query.until),
          saysPaid,
        });
        if (found.kind === 'unknown') throw new ServiceError('NOT_FOUND');
        if (!isToShop && found.atCheckout && hasCheckout(context, reply, found.orderId)) {
          return reply.redirect(`${basePathOf(context)}/checkout/${found.orderId}`, 303);
        }
        return found.kind === 'waiting'
          ? sendWaiting(context, reply, found, saysPaid)
          : sendToShop(context, reply, found);
      },
    });

    // After this redirect the browser is on our own site, and a reload does not post again.
    app.post<{ Params: Params }>(path, {
      config: { bound: 'page' },
      handler: async ({ body }, reply) => {
        const fields = new URLSearchParams(typeof body === 'string' ? body : '');
        const saysPaid = paidFields.some((name) => fields.has(name));
        return reply.redirect(saysPaid ? 'return?paid' : 'return', 303);
      },
    });
    refuseOtherMethods();
  };
}

/** A bank's app may return in another browser, which has no cookie of the checkout. */
function hasCheckout(context: HttpContext, reply: FastifyReply, orderId: string): boolean {
  const { cookie } = reply.request.headers;
  return readCheckoutToken(cookie, { orderId, isSecure: isSecureSite(context) }) !== undefined;
}

function readUntil(text: unknown): number | undefined {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Status 202 tells the script of the page that there is no result yet. */
function sendWaiting(
  context: HttpContext,
  reply: FastifyReply,
  { account, untilMs }: WaitingReturn,
  saysPaid: boolean,
): FastifyReply {
  const language = chooseLanguage(reply.request);
  const words = languages[language];
  const { waiting } = words;
  const next = `return?until=${untilMs}${saysPaid ? '&paid' : ''}`;
  return sendPage(reply.code(202), {
    language,
    title: waiting.heading,
    brand: brandOf(account, basePathOf(context)),
    refresh: { seconds: 1, url: next },
    content: html`<section class="card stack single" data-await="${next}"><div class="mark">${icons.wait}</div>
<div role="status"><h1>${waiting.heading}</h1><p>${waiting.text}</p></div><p class="small quiet">${waiting.stay}</p></section>`,
    formAction: [],
  });
}

function sendToShop(context: HttpContext, reply: FastifyReply, known: KnownReturn): FastifyReply {
  const { callback, callbackOrigins, account, status, enquiry } = known;
  const language = chooseLanguage(reply.request);
  const words = languages[language];
  const common = { language, brand: brandOf(account, basePathOf(context)) };
  if (!callback) {
    const content = resultView(words, status, { url: undefined }, enquiry.order.invoiceId);
    const title = words.title(account.name);
    return sendPage(reply, { ...common, title, content, hasScript: false, formAction: [] });
  }
  const payload = returnPayload(known, context.clock());
  if (callback.mode === 'redirect') {
    reply.header('referrer-policy', 'no-referrer');
    return reply.redirect(redirectUrl(callback.url, payload), 303);
  }
  const { href, origin } = new URL(callback.url);
  const form = hiddenForm(href, { response: encodeReturn(payload) }, words.back.toShop);
  return sendPage(reply, {
    ...common,
    title: words.back.forwarding,
    content: html`<section class="card stack single"><h1>${words.back.forwarding}</h1>${form}</section>`,
    // The shop may answer the form with a redirect, and the browser checks its target against this list too.
    formAction: [...new Set([origin, ...callbackOrigins].map(sourceOf))],
  });
}

/** A policy cannot name an IPv6 address, so its scheme is allowed instead; http addresses are always loopback. */
function sourceOf(origin: string): string {
  return origin.includes('[') ? new URL(origin).protocol : origin;
}
