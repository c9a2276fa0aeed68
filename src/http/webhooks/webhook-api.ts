/** `POST /api/v3/webhooks/<provider>[/<account_id>]`: raw bytes, and error bodies of its own. Contract 6.1 and 6.5. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { DeliveryClaims } from '../../use-cases/inbox/authenticate-delivery.ts';
import {
  type DeliveryProvider,
  deliveryProviders,
  type RawDelivery,
} from '../../use-cases/inbox/receive-delivery.ts';
import { findBearerToken } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { proofSchemeOf, toCamelCase } from '../open-api/components.ts';
import type { Documentation } from '../open-api/documentation.ts';
import { object, optionalText, text, word } from '../open-api/fields.ts';
import { refusingOtherMethods } from '../refuse-other-methods.ts';
import { sendWebhookError, webhookErrorReplies, webhookErrorShape } from './webhook-error.ts';

export function webhookApi(context: HttpContext) {
  return refusingOtherMethods((app) => {
    app.setErrorHandler(sendWebhookError);
    readRawBytes(app);
    for (const provider of deliveryProviders) addWebhook(app, context, provider);
  });
}

/** A signature covers the bytes as they were sent, so nothing may parse and re-encode them. */
function readRawBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  );
  app.decorateRequest('contentType', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    request.contentType = request.headers['content-type'];
    request.raw.headers['content-type'] = 'application/octet-stream';
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** As the provider sent it: the header itself is overwritten to make Fastify read raw bytes. */
    contentType: string | undefined;
  }
}

const Reply = object('WebhookResult', 'What became of the delivery.', {
  status: word(
    ['processed', 'duplicate', 'stale', 'ignored', 'parked', 'needs_review'],
    'processed: applied. duplicate: received before. stale: what is known ranks higher. ignored: of no interest. parked: applied when its order becomes known. needs_review: stored, a person decides.',
  ),
  delivery_id: text('Identifier of the stored delivery.'),
  order_id: optionalText('The order that it belongs to.'),
  message: optionalText('Why it was not simply applied.'),
});

type Params = { readonly account_id?: string };

function addWebhook(app: FastifyInstance, { useCases }: HttpContext, provider: DeliveryProvider) {
  const { name, displayName } = provider;
  for (const path of [`/${name}`, `/${name}/:account_id`]) {
    const isOfAccount = path.endsWith(':account_id');
    app.post<{ Params: Params; Reply: Static<typeof Reply> }>(path, {
      config: { documentation: documentationOf(provider, isOfAccount) },
      schema: {
        operationId: toCamelCase(`receive-${name}-webhook${isOfAccount ? '' : '-with-token'}`),
        summary: `Receive a delivery of ${displayName}${isOfAccount ? '' : ', from your own server'}`,
        description: isOfAccount ? ofAccount : ofBearer,
        tags: ['Webhooks'],
        response: { 200: Reply, ...webhookErrorReplies },
      },
      onRequest: (request, _reply, done) => {
        done(useCases.findMissingCredentials(provider, request.headers, claimsOf(request)));
      },
      handler: async (request) => {
        const raw = rawDelivery(request);
        const received = await useCases.receiveDelivery(name, raw, claimsOf(request));
        return {
          status: received.status,
          delivery_id: received.deliveryId,
          ...(received.orderId !== null && { order_id: received.orderId }),
          ...(received.why !== null && { message: received.why }),
        };
      },
    });
  }
}

const ofAccount =
  'Set this URL at the provider. A delivery whose order is not known yet is stored and applied later. A merchant token of the account is accepted instead of the proof.';
const ofBearer =
  'The merchant token names the account. A delivery whose order is not known is refused with 404, and an event of no interest with 400.';

function documentationOf(
  { name, documentation }: DeliveryProvider,
  isOfAccount: boolean,
): Documentation {
  return {
    security: [...(isOfAccount ? [{ [proofSchemeOf(name)]: [] }] : []), { merchantToken: [] }],
    replyDescription: 'The delivery is stored.',
    errors: [
      'INVALID_REQUEST_PARAMETER',
      'AUTHENTICATION_FAILED',
      'ACCOUNT_SUSPENDED',
      'ORDER_NOT_FOUND',
      'INTERNAL_ERROR',
      'SERVICE_UNAVAILABLE',
    ],
    examples: documentation.examples,
    loadBody: documentation.loadSchema,
    acceptsFormData: documentation.acceptsFormData,
    parameters: { account_id: 'Identifier of the account.' },
    headers: documentation.headers,
    errorShape: webhookErrorShape,
  };
}

function claimsOf(request: FastifyRequest<{ Params: Params }>): DeliveryClaims {
  return { accountId: request.params.account_id, token: findBearerToken(request) };
}

function rawDelivery({ body, headers, contentType }: FastifyRequest): RawDelivery {
  headers['content-type'] = contentType;
  // The only header whose value Node gives as a list.
  if (headers['set-cookie']) headers['set-cookie'] = undefined;
  return {
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    headers: headers as RawDelivery['headers'],
  };
}
