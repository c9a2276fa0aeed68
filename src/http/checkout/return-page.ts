/**
 * `/pay/<account_id>/<transaction_id>/return`: where a provider sends the consumer. It waits for the result if need be,
 * and sends the consumer on to the shop with it. It needs no cookie, because a provider's form comes from another
 * site, and believes nothing that the browser brings. Contract 11.10.
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
      return error.entry.status < 500 ? reply.send(errorBody(error)) : sendTrouble(reply);
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
            return sendOn(reply, found, clock());
          default:
            return found satisfies never;
        }
      },
    });

    // From here on the browser is on our own site, and a reload posts nothing again.
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

/** 202 lets the page's own script tell it from a result. */
function sendWaiting(reply: FastifyReply, untilMs: number, saysPaid: boolean): FastifyReply {
  const next = `return?until=${untilMs}${saysPaid ? '&paid' : ''}`;
  return sendPage(reply.code(202), {
    head: refresh(1, next),
    content: `<h1>Waiting for your bank</h1>
<p>We are waiting for your bank to confirm the payment. This takes a few seconds. Please stay here.</p>`,
    // A service that is restarted meanwhile is asked again.
    script: `const next = ${JSON.stringify(next)};
async function look() {
  const status = await fetch(next, { redirect: 'manual' }).then((reply) => reply.status, () => 503);
  if (status === 202 || status >= 500) setTimeout(look, 1000);
  else location.replace(next);
}
setTimeout(look, 1000);`,
    connects: true,
    formAction: [],
  });
}

function sendOn(reply: FastifyReply, known: KnownReturn, now: Date): FastifyReply {
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
    // The shop may answer the form with a redirect, which the browser holds against this list too.
    formAction: [...new Set([origin, ...callbackOrigins].map(sourceOf))],
  });
}

/** A policy cannot name an address of IPv6; only loopback is http there. */
function sourceOf(origin: string): string {
  return origin.includes('[') ? new URL(origin).protocol : origin;
}

const outcomes: Readonly<Record<ReturnStatus, readonly [heading: string, words: string]>> = {
  success: ['Payment received', 'Thank you. You can close this page.'],
  failed: ['Payment not made', 'Nothing was paid. You can go back to the shop and try again.'],
  pending: [
    'Payment not confirmed yet',
    'Your bank has not confirmed the payment yet. The shop will learn the result.',
  ],
};

function sendOutcome(reply: FastifyReply, { status, enquiry }: KnownReturn): FastifyReply {
  const [heading, words] = outcomes[status];
  const invoice = escapeHtml(enquiry.order.invoiceId);
  const content = `<h1>${heading}</h1><p>${words}</p><p>Invoice ${invoice}</p>`;
  return sendPage(reply, { content, formAction: [] });
}

/** The consumer may have paid: they are not left with an error, and the page tries again by itself. */
function sendTrouble(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    head: refresh(2, 'return'),
    content:
      '<h1>One moment, please</h1><p>We cannot show the result of your payment just now. This page tries again.</p>',
    script: `setTimeout(() => location.replace('return'), 2000);`,
    formAction: [],
  });
}

/** For browsers without scripts; the others look by themselves. */
function refresh(seconds: number, url: string): string {
  return `<noscript><meta http-equiv="refresh" content="${seconds}; url=${escapeHtml(url)}"></noscript>`;
}
