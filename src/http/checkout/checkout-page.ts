/**
 * `/checkout`: the page on which a consumer pays an order, and the link that leads to it. The order token moves from the
 * address into a cookie first, so that it stays in no history. The page works without scripts. Contract 14.1 to 14.4.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import { equalDigests } from '../../security/compare.ts';
import { hmac, hmacKeyOf } from '../../security/hmac.ts';
import type { PaymentRequest } from '../../use-cases/payments/start-payment.ts';
import { basePathOf, type HttpContext } from '../http-context.ts';
import { refusingOtherMethods } from '../refuse-other-methods.ts';
import {
  type Problem,
  presetQuery,
  readForm,
  readPreset,
  type SentForm,
  toPaymentRequest,
} from './checkout-form.ts';
import { sendCheckout, stateOf } from './checkout-view.ts';
import { sendCancelled, sendCheckoutError } from './error-pages.ts';
import { chooseLanguage, findLanguage, keepLanguage } from './language.ts';
import { authenticateConsumer, type Consumer, isInFrame, openSession } from './session.ts';

type Params = { readonly order_id: string };
type Query = Readonly<Record<string, unknown>>;
const path = '/checkout/:order_id';
const bounded = { config: { bound: 'checkout' } } as const;

export function checkoutPage(context: HttpContext) {
  const { useCases } = context;
  return refusingOtherMethods((app) => {
    readForms(app);
    app.setErrorHandler(sendCheckoutError);
    addPaymentLink(app, context);

    app.get('/checkout', bounded, (request, reply) => open(context, reply, queryOf(request).token));

    // Keeps the token out of addresses.
    app.post('/checkout', bounded, ({ body }, reply) => open(context, reply, readForm(body).token));

    app.get(path, bounded, async (_request, reply) =>
      show(context, reply, await authenticateConsumer(context, reply)),
    );

    app.get(`${path}/state`, bounded, async (_request, reply) => {
      const consumer = await authenticateConsumer(context, reply);
      return { state: stateOf(await useCases.getCheckout(consumer)) };
    });

    app.post(`${path}/pay`, bounded, (_request, reply) =>
      withForm(context, reply, async (consumer, form) => {
        const wanted = toPaymentRequest(consumer.orderId, form, isInFrame(reply.request));
        return 'problem' in wanted
          ? show(context, reply.code(422), consumer, form, wanted.problem)
          : start(context, reply, consumer, form, wanted);
      }),
    );

    app.post(`${path}/give-up`, bounded, (_request, reply) =>
      withForm(context, reply, async (consumer, form) => {
        const outcome = await useCases.giveUpPayment(consumer, form.attempt);
        if (outcome === 'done') return backToPage(context, reply, consumer);
        const problem = outcome === 'tried' ? 'stillOpen' : 'notReached';
        return show(context, reply.code(409), consumer, form, problem);
      }),
    );

    app.get<{ Params: Params & { readonly language: string } }>(
      `${path}/language/:language`,
      { config: { bound: 'file' } },
      async ({ params }, reply) => {
        const language = findLanguage(params.language);
        if (!language) throw new ServiceError('NOT_FOUND');
        keepLanguage(context, reply, language);
        return backToPage(context, reply, { orderId: encodeURIComponent(params.order_id) });
      },
    );
  });
}

async function open(
  context: HttpContext,
  reply: FastifyReply,
  token: unknown,
): Promise<FastifyReply> {
  const consumer = await openSession(context, reply, token);
  // A frame may have no cookie, so it would lose the token in a redirect.
  if (isInFrame(reply.request)) return show(context, reply, consumer);
  reply.header('referrer-policy', 'no-referrer');
  return backToPage(context, reply, consumer, presetQuery(queryOf(reply.request)));
}

/** A link that a shop sends to a consumer redirects to the checkout with a new order token. Contract 14.6. */
function addPaymentLink(app: FastifyInstance, { useCases }: HttpContext): void {
  app.get<{ Params: { readonly link_id: string } }>(
    '/l/:link_id',
    { config: { bound: 'page' } },
    async (request, reply) => {
      const opened = await useCases.openLink(request.params.link_id);
      if (opened.kind === 'unknown') throw new ServiceError('NOT_FOUND');
      if (opened.kind === 'cancelled') return sendCancelled(request, reply);
      // The checkout shows that a closed order is paid or expired. The token must not be in the Referer of what it
      // loads. The address is relative, because PUBLIC_URL may have a path.
      return reply
        .header('referrer-policy', 'no-referrer')
        .redirect(`../checkout?token=${opened.token.token}`, 303);
    },
  );
}

/** Forms are read as text, so that a body of any type is refused by its content and not by its header. */
function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'string', bodyLimit: 16 * 1024 },
    (_request, body, done) => done(null, String(body)),
  );
}

/** Acts on a form of our own page only. */
async function withForm(
  context: HttpContext,
  reply: FastifyReply,
  act: (consumer: Consumer, form: SentForm) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const consumer = await authenticateConsumer(context, reply);
  const form = readForm(reply.request.body);
  if (equalDigests(formKeyOf(consumer), form.formKey)) return act(consumer, form);
  // The cookie is not attached to a post from another site; the key also keeps out other pages of this site. The form of a
  // tab that was opened with an earlier token has another key too, so the consumer gets a page to go on from.
  return show(context, reply.code(409), consumer, undefined, 'outdated');
}

async function start(
  context: HttpContext,
  reply: FastifyReply,
  consumer: Consumer,
  form: SentForm,
  wanted: PaymentRequest,
): Promise<FastifyReply> {
  try {
    // The key makes a double click one payment: the second request gets the reply of the first.
    const key = `checkout payment ${form.attempt}`;
    const { reply: started } = await context.useCases.startPayment(consumer, wanted, key);
    // From a frame, the page that waits leads to the provider's page, which opens in a window of its own.
    const isShown = started.intentUrl !== undefined || isInFrame(reply.request);
    if (started.redirectUrl === undefined || isShown) {
      return backToPage(context, reply, consumer);
    }
    const launch = `${basePathOf(context)}/pay/${consumer.accountId}/${started.transactionId}`;
    return reply.redirect(launch, 303);
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    return show(context, reply.code(409), consumer, form, problem);
  }
}

/** The page shows the state of the order anyway; these say why no payment was started. */
function problemOf(error: unknown): Problem | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  switch (error.code) {
    case 'ORDER_CONFLICT':
    case 'IDEMPOTENCY_KEY_REUSED':
    case 'ORDER_COMPLETED':
    case 'ORDER_LAPSED':
      return 'outdated';
    case 'PAYMENT_MODE_NOT_ENABLED':
    case 'PAYMENT_MODE_NOT_ALLOWED':
      return 'unavailable';
    // The order was changed too often by its own tokens, so waiting does not help.
    case 'RATE_LIMITED':
      return 'tooMany';
    default:
      return undefined;
  }
}

async function show(
  context: HttpContext,
  reply: FastifyReply,
  consumer: Consumer,
  form?: SentForm,
  problem?: Problem,
): Promise<FastifyReply> {
  const checkout = await context.useCases.getCheckout(consumer);
  return sendCheckout(reply, checkout, {
    basePath: basePathOf(context),
    language: chooseLanguage(reply.request),
    formKey: formKeyOf(consumer),
    frame: isInFrame(reply.request)
      ? { token: consumer.own.token, now: context.clock() }
      : undefined,
    form: form ?? readPreset(queryOf(reply.request), checkout),
    problem,
  });
}

const queryOf = ({ query }: FastifyRequest) => query as Query;

function backToPage(
  context: HttpContext,
  reply: FastifyReply,
  { orderId }: { readonly orderId: string },
  query = '',
): FastifyReply {
  return reply.redirect(`${basePathOf(context)}/checkout/${orderId}${query}`, 303);
}

/** The key of the forms of a checkout. Only a page that was sent to the holder of the order token contains it. */
function formKeyOf({ own }: Consumer): string {
  return hmac(hmacKeyOf(own.token), 'checkout form', 'base64url');
}
