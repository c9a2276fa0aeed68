/**
 * `/pay/<account_id>/<transaction_id>/return`: where a provider sends the consumer back to. It waits for the result of the
 * payment and forwards the consumer to the shop with it. It uses no cookie, because a provider's form is posted from
 * another site, and trusts nothing that the browser sends. Contract 11.10.
 */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { ReturnStatus } from '../../domain/transactions/payment-return.ts';
import { listPaidFields } from '../../use-cases/payments/find-return.ts';
import type { Edge } from '../edge.ts';
import { errorBody, prepareErrorReply } from '../error-reply.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { sendUnknown } from './launch-page.ts';
import { escapeHtml, hiddenForm, sendPage } from './page.ts';
import { encodeReturn, type KnownReturn, redirectUrl, returnPayload } from './return-view.ts';

type Params = { readonly account_id: string; readonly transaction_id: string };
type Query = Readonly<Record<string, unknown>>;

const path = '/pay/:account_id/:transaction_id/return';

export function returnPage({ useCases, clock }: Edge): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    const paidFields = ['paid', ...listPaidFields()];
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, String(body)),
    );
    app.setErrorHandler((failure, request, reply) => {
      const error = prepareErrorReply(
        failure as Parameters<typeof prepareErrorReply>[0],
        request,
        reply,
      );
      return error.entry.status < 500 ? reply.send(errorBody(error)) : sendTryAgain(reply);
    });

    app.get<{ Params: Params; Querystring: Query }>(path, {
      schema: { hide: true },
      handler: async ({ params, query }, reply) => {
        const saysPaid = paidFields.some((name) => query[name] !== undefined);
        const found = await useCases.findReturn(params.account_id, params.transaction_id, {
          untilMs: readUntil(query.until),
          saysPaid,
        });
        switch (found.kind) {
          case 'unknown':
            return sendUnknown(reply);
          case 'waiting':
            return sendWaiting(reply, found.untilMs, saysPaid);
          case 'known':
            return sendToShop(reply, found, clock());
          default:
            return found satisfies never;
        }
      },
    });

    // After this redirect the browser is on our own site, and a reload does not post again.
    app.post<{ Params: Params }>(path, {
      schema: { hide: true },
      handler: async ({ body }, reply) => {
        const fields = new URLSearchParams(typeof body === 'string' ? body : '');
        const saysPaid = paidFields.some((name) => fields.has(name));
        return reply.redirect(saysPaid ? 'return?paid' : 'return', 303);
      },
    });
    refuseOtherMethods();
  };
}

function readUntil(text: unknown): number | undefined {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Status 202 tells the script of the page that there is no result yet. */
function sendWaiting(reply: FastifyReply, untilMs: number, saysPaid: boolean): FastifyReply {
  const next = `return?until=${untilMs}${saysPaid ? '&paid' : ''}`;
  return sendPage(reply.code(202), {
    head: refresh(1, next),
    content: `<h1>Waiting for your bank</h1>
<p>We are waiting for your bank to confirm the payment. This takes a few seconds. Please stay here.</p>`,
    // Errors are retried as well: the service may be restarting.
    script: `const next = ${JSON.stringify(next)};
async function poll() {
  const status = await fetch(next, { redirect: 'manual' }).then((reply) => reply.status, () => 503);
  if (status === 202 || status >= 500) setTimeout(poll, 1000);
  else location.replace(next);
}
setTimeout(poll, 1000);`,
    connects: true,
    formAction: [],
  });
}

function sendToShop(reply: FastifyReply, known: KnownReturn, now: Date): FastifyReply {
  const { callback, callbackOrigins } = known;
  if (!callback) return sendOutcome(reply, known);
  const payload = returnPayload(known, now);
  if (callback.mode === 'redirect') {
    reply.header('referrer-policy', 'no-referrer');
    return reply.redirect(redirectUrl(callback.url, payload), 303);
  }
  const { href, origin } = new URL(callback.url);
  return sendPage(reply, {
    content: `<p>You are taken back to the shop.</p>
${hiddenForm(href, { response: encodeReturn(payload) }, 'Continue to the shop')}`,
    script: 'document.forms[0].submit()',
    // The shop may answer the form with a redirect, and the browser checks its target against this list too.
    formAction: [...new Set([origin, ...callbackOrigins].map(sourceOf))],
  });
}

/** A policy cannot name an IPv6 address, so its scheme is allowed instead; http addresses are always loopback. */
function sourceOf(origin: string): string {
  return origin.includes('[') ? new URL(origin).protocol : origin;
}

const outcomes: Readonly<Record<ReturnStatus, readonly [heading: string, text: string]>> = {
  success: ['Payment received', 'Thank you. You can close this page.'],
  failed: ['Payment not made', 'Nothing was paid. You can go back to the shop and try again.'],
  pending: [
    'Payment not confirmed yet',
    'Your bank has not confirmed the payment yet. The shop will learn the result.',
  ],
};

function sendOutcome(reply: FastifyReply, { status, enquiry }: KnownReturn): FastifyReply {
  const [heading, text] = outcomes[status];
  const invoice = escapeHtml(enquiry.order.invoiceId);
  const content = `<h1>${heading}</h1><p>${text}</p><p>Invoice ${invoice}</p>`;
  return sendPage(reply, { content, formAction: [] });
}

/** The consumer may have paid, so the page shows no error and reloads by itself. */
function sendTryAgain(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    head: refresh(2, 'return'),
    content:
      '<h1>One moment, please</h1><p>We cannot show the result of your payment just now. This page tries again.</p>',
    script: `setTimeout(() => location.replace('return'), 2000);`,
    formAction: [],
  });
}

/** Only without scripts: otherwise the script of the page reloads. */
function refresh(seconds: number, url: string): string {
  return `<noscript><meta http-equiv="refresh" content="${seconds}; url=${escapeHtml(url)}"></noscript>`;
}
