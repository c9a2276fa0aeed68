/**
 * `/checkout`: the page on which a consumer pays an order. The order token moves from the address into a cookie first, so
 * that it stays in no history. The page works without scripts. Contract 14.1 to 14.4.
 */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import { equalDigests } from '../../security/compare.ts';
import { hmac, hmacKeyOf } from '../../security/hmac.ts';
import type { PaymentRequest } from '../../use-cases/payments/start-payment.ts';
import type { HttpContext } from '../http-context.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { basePathOf, isSecureSite } from '../site.ts';
import { type Problem, readForm, type SentForm, toPaymentRequest } from './checkout-form.ts';
import { sendCheckout, stateOf } from './checkout-view.ts';
import { sendCheckoutError } from './error-pages.ts';
import { chooseLanguage, findLanguage, keepLanguage } from './language.ts';
import { authenticateConsumer, type Consumer, openSession } from './session.ts';

type Params = { readonly order_id: string };
type Query = Readonly<Record<string, unknown>>;
const path = '/checkout/:order_id';
const bounded = { config: { bound: 'checkout' } } as const;

export function checkoutPage(context: HttpContext): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    readForms(app);
    app.setErrorHandler(sendCheckoutError);

    app.get<{ Querystring: Query }>('/checkout', {
      ...bounded,
      handler: async (request, reply) => {
        const { token } = request.query;
        const { orderId } = await openSession(context, { request, reply }, token);
        return reply
          .header('referrer-policy', 'no-referrer')
          .redirect(`${basePathOf(context)}/checkout/${orderId}`, 303);
      },
    });

    app.get<{ Params: Params }>(path, {
      ...bounded,
      handler: async (request, reply) => {
        const consumer = await authenticateConsumer(context, { request, reply });
        return show(context, request, reply, consumer);
      },
    });

    app.get<{ Params: Params }>(`${path}/state`, {
      ...bounded,
      handler: async (request, reply) => {
        const { caller } = await authenticateConsumer(context, { request, reply });
        return { state: stateOf(await context.useCases.getCheckout(caller)) };
      },
    });

    app.post<{ Params: Params; Body: string }>(`${path}/pay`, {
      ...bounded,
      handler: (request, reply) =>
        withForm(context, request, reply, async (consumer, form) => {
          const wanted = toPaymentRequest(consumer.caller.orderId, form);
          return 'problem' in wanted
            ? show(context, request, reply.code(422), consumer, form, wanted.problem)
            : start(context, request, reply, consumer, form, wanted);
        }),
    });

    app.post<{ Params: Params; Body: string }>(`${path}/give-up`, {
      ...bounded,
      handler: (request, reply) =>
        withForm(context, request, reply, async (consumer, form) => {
          const outcome = await context.useCases.giveUpPayment(consumer.caller, form.attempt);
          if (outcome === 'done') return backToPage(context, reply, consumer);
          const problem = outcome === 'tried' ? 'stillOpen' : 'notReached';
          return show(context, request, reply.code(409), consumer, form, problem);
        }),
    });

    app.get<{ Params: Params & { readonly language: string } }>(`${path}/language/:language`, {
      ...bounded,
      config: { bound: 'file' },
      handler: async (request, reply) => {
        const { order_id: orderId, language: wanted } = request.params;
        const language = findLanguage(wanted);
        if (!language) throw new ServiceError('NOT_FOUND');
        keepLanguage(reply, language, isSecureSite(context));
        const page = `${basePathOf(context)}/checkout/${encodeURIComponent(orderId)}`;
        return reply.redirect(page, 303);
      },
    });
    refuseOtherMethods();
  };
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
  request: FastifyRequest<{ Params: Params; Body: string }>,
  reply: FastifyReply,
  act: (consumer: Consumer, form: SentForm) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const consumer = await authenticateConsumer(context, { request, reply });
  const form = readForm(request.body);
  if (hasFormKey(consumer.caller.own.token, form.formKey)) return act(consumer, form);
  // The cookie is not attached to a post from another site; the key also keeps out other pages of this site. The form of a
  // tab that was opened with an earlier token has another key too, so the consumer gets a page to go on from.
  return show(context, request, reply.code(409), consumer, undefined, 'outdated');
}

async function start(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  consumer: Consumer,
  form: SentForm,
  wanted: PaymentRequest,
): Promise<FastifyReply> {
  const { caller } = consumer;
  try {
    // The key makes a double click one payment: the second request gets the reply of the first.
    const key = `checkout payment ${form.attempt}`;
    const { reply: started } = await context.useCases.startPayment(caller, wanted, key);
    if (started.redirectUrl === undefined) return backToPage(context, reply, consumer);
    const launch = `${basePathOf(context)}/pay/${caller.accountId}/${started.transactionId}`;
    return reply.redirect(
      started.intentUrl === undefined ? launch : pageOf(context, consumer),
      303,
    );
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    return show(context, request, reply.code(409), consumer, form, problem);
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
  request: FastifyRequest,
  reply: FastifyReply,
  { caller }: Consumer,
  form?: SentForm,
  problem?: Problem,
): Promise<FastifyReply> {
  const checkout = await context.useCases.getCheckout(caller);
  const formKey = formKeyOf(caller.own.token);
  return sendCheckout(reply, checkout, {
    basePath: basePathOf(context),
    language: chooseLanguage(request),
    formKey,
    form,
    problem,
  });
}

function backToPage(context: HttpContext, reply: FastifyReply, consumer: Consumer): FastifyReply {
  return reply.redirect(pageOf(context, consumer), 303);
}

function pageOf(context: HttpContext, { caller }: Consumer): string {
  return `${basePathOf(context)}/checkout/${caller.orderId}`;
}

/** The key of the forms of a checkout. Only a page that was sent to the holder of the order token contains it. */
function formKeyOf(orderToken: string): string {
  return hmac(hmacKeyOf(orderToken), 'checkout form', 'base64url');
}

function hasFormKey(orderToken: string, sent: string): boolean {
  return equalDigests(formKeyOf(orderToken), sent);
}
