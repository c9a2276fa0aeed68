/**
 * `/pay/<account_id>/<transaction_id>`: leads the consumer to the provider's payment page, and `/return` below it is where
 * the provider sends them back to. A consumer who pays on our checkout page gets back to it. For a payment that the shop
 * started, the page waits for the result and forwards the consumer to the shop with it. It needs no cookie, because a
 * provider's form is posted from another site, and trusts nothing that the browser sends. Contract 11.10 and 14.1.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Account } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { Launch } from '../../use-cases/checkout/find-launch.ts';
import { type FoundReturn, listPaidFields } from '../../use-cases/checkout/find-return.ts';
import { basePathOf, type HttpContext } from '../http-context.ts';
import { refusingOtherMethods } from '../refuse-other-methods.ts';
import { sendCheckoutError } from './error-pages.ts';
import { type Html, html } from './html.ts';
import { icons } from './icons.ts';
import { chooseLanguage, languages } from './language.ts';
import { resultView } from './outcome-view.ts';
import { brandOf, hiddenForm, sendPage } from './page.ts';
import { isReservation, type ReturnPayload, resultText, returnPayload } from './return-payload.ts';
import { findToken } from './session.ts';
import type { Words } from './words/en.ts';

type Params = { readonly account_id: string; readonly transaction_id: string };
type Query = Readonly<Record<string, unknown>>;

const path = '/pay/:account_id/:transaction_id';
const bounded = { config: { bound: 'page' } } as const;

export function payPages(context: HttpContext) {
  return refusingOtherMethods((app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, String(body)),
    );
    // The consumer may have paid, so an error of the service is a page that tries again.
    app.setErrorHandler(sendCheckoutError);

    app.get<{ Params: Params }>(path, bounded, async ({ params }, reply) => {
      const launch = await context.useCases.findLaunch(params.account_id, params.transaction_id);
      return sendLaunch(context, reply, launch, params.transaction_id);
    });
    addReturn(app, context);
  });
}

function addReturn(app: FastifyInstance, context: HttpContext): void {
  const paidFields = ['paid', ...listPaidFields()];
  const url = `${path}/return`;

  app.get<{ Params: Params; Querystring: Query }>(url, bounded, async (request, reply) => {
    const { params, query } = request;
    const saysPaid = paidFields.some((name) => query[name] !== undefined);
    const isToShop = query.to === 'shop';
    const found = await context.useCases.findReturn(params.account_id, params.transaction_id, {
      untilMs: isToShop ? 0 : readUntil(query.until),
      saysPaid,
    });
    if (found.kind === 'unknown') throw new ServiceError('NOT_FOUND');
    // A bank's app may return in another browser, which has no cookie of the checkout. A frame waits for the result itself.
    const isAwaited = found.atCheckout && !found.inFrame && !isToShop;
    if (isAwaited && findToken(context, reply, found.orderId) !== undefined) {
      return reply.redirect(`${basePathOf(context)}/checkout/${found.orderId}`, 303);
    }
    return found.kind === 'waiting'
      ? sendWaiting(context, reply, found, saysPaid)
      : sendResult(context, reply, found, isToShop);
  });

  // After this redirect the browser is on our own site, and a reload does not post again.
  app.post(url, bounded, async ({ body }, reply) => {
    const fields = new URLSearchParams(typeof body === 'string' ? body : '');
    const saysPaid = paidFields.some((name) => fields.has(name));
    return reply.redirect(saysPaid ? 'return?paid' : 'return', 303);
  });
}

function commonOf(context: HttpContext, { request }: FastifyReply, account: Account) {
  const language = chooseLanguage(request);
  const brand = brandOf(account, basePathOf(context));
  return { words: languages[language], common: { language, brand } };
}

function sendLaunch(
  context: HttpContext,
  reply: FastifyReply,
  launch: Launch,
  transactionId: string,
): FastifyReply {
  if (launch.kind === 'unknown') throw new ServiceError('NOT_FOUND');
  const { words, common } = commonOf(context, reply, launch.account);
  const page = { ...common, title: words.launch.heading };
  switch (launch.kind) {
    case 'form': {
      const { action, fields } = launch.form;
      const content = opening(words, hiddenForm(action, fields, words.launch.continue));
      // The provider may redirect to other addresses of its own.
      return sendPage(reply, { ...page, content, formAction: 'anywhere' });
    }
    case 'address': {
      const link = html`<a class="button" href="${launch.url}" data-forward>${words.launch.continue}</a>`;
      const refresh = { seconds: 0, url: launch.url };
      return sendPage(reply, { ...page, content: opening(words, link), refresh, formAction: [] });
    }
    case 'over': {
      // Through our return page, which adds the result.
      const back = `${encodeURIComponent(transactionId)}/return?to=shop`;
      const content = resultView(words, launch.status, { url: launch.hasShop ? back : undefined });
      return sendPage(reply.code(410), { ...page, content, hasScript: false, formAction: [] });
    }
    default:
      return launch satisfies never;
  }
}

function opening({ launch }: Words, way: Html): Html {
  return html`<section class="card stack single"><div class="mark">${icons.lock}</div>
<div role="status" class="stack close"><h1>${launch.heading}</h1><p>${launch.text}</p></div>${way}</section>`;
}

function readUntil(text: unknown): number | undefined {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Status 202 tells the script of the page that there is no result yet. */
function sendWaiting(
  context: HttpContext,
  reply: FastifyReply,
  { account, untilMs, inFrame }: WaitingReturn,
  saysPaid: boolean,
): FastifyReply {
  const { words, common } = commonOf(context, reply, account);
  const { waiting } = words;
  const next = `return?until=${untilMs}${saysPaid ? '&paid' : ''}`;
  return sendPage(reply.code(202), {
    ...common,
    title: waiting.heading,
    refresh: { seconds: 1, url: next },
    content: html`<section class="card stack single" data-await="${next}"${inFrame && html` data-close`}><div class="mark">${icons.wait}</div>
<div role="status"><h1>${waiting.heading}</h1><p>${waiting.text}</p></div><p class="small quiet">${waiting.stay}</p></section>`,
    formAction: [],
  });
}

function sendResult(
  context: HttpContext,
  reply: FastifyReply,
  known: KnownReturn,
  isToShop: boolean,
): FastifyReply {
  const { callback, account, status, enquiry, inFrame } = known;
  // The consumer gets the result in the frame of the shop's page. This window closes if the browser allows it.
  const isOwnWindow = inFrame && !isToShop;
  if (callback && !isOwnWindow) return sendToShop(context, reply, known, callback);
  const { words, common } = commonOf(context, reply, account);
  const url = callback && 'return?to=shop';
  const shown = isReservation(known) ? 'reserved' : status;
  const view = resultView(words, shown, { url }, enquiry.order.invoiceId);
  const content = isOwnWindow ? html`<div data-close>${view}</div>` : view;
  const title = words.title(account.name);
  return sendPage(reply, { ...common, title, content, hasScript: isOwnWindow, formAction: [] });
}

function sendToShop(
  context: HttpContext,
  reply: FastifyReply,
  known: KnownReturn,
  callback: NonNullable<KnownReturn['callback']>,
): FastifyReply {
  const { callbackOrigins, account } = known;
  const { words, common } = commonOf(context, reply, account);
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

type KnownReturn = Extract<FoundReturn, { kind: 'known' }>;
type WaitingReturn = Extract<FoundReturn, { kind: 'waiting' }>;

function encodeReturn(payload: ReturnPayload): string {
  return Buffer.from(resultText(payload), 'utf8').toString('base64');
}

/** The result follows the shop's own query and precedes its fragment. */
function redirectUrl(callbackUrl: string, payload: ReturnPayload): string {
  const whole = withResponse(callbackUrl, encodeReturn(payload));
  if (whole.length <= paymentLimits.returnUrlCharsMax) return whole;
  // Only custom attributes can be long. A shop's server that refuses a long URL would lose the consumer.
  const { custom_attributes: _omitted, ...order } = payload.order;
  return withResponse(callbackUrl, encodeReturn({ ...payload, order } as ReturnPayload));
}

function withResponse(callbackUrl: string, response: string): string {
  const url = new URL(callbackUrl);
  // A `response` in the shop's own URL would be ambiguous.
  if (url.searchParams.has('response')) url.searchParams.delete('response');
  url.search += `${url.search === '' ? '?' : '&'}response=${encodeURIComponent(response)}`;
  return url.href;
}
