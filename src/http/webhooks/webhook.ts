/** `POST /api/v3/webhooks/<provider>[/<account_id>]`. Contract 6.1 and 6.5. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { DeliveryClaims } from '../../use-cases/inbox/authenticate-delivery.ts';
import type { DeliveryProvider, RawDelivery } from '../../use-cases/inbox/receive-delivery.ts';
import type { Edge } from '../edge.ts';
import { findBearerToken } from '../guard.ts';
import { webhookErrorReplies } from './webhook-error.ts';

const Reply = Type.Object({
  status: Type.Unsafe<string>({
    type: 'string',
    enum: ['processed', 'duplicate', 'stale', 'ignored', 'parked', 'needs_review'],
  }),
  delivery_id: Type.String(),
  order_id: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
});

type Params = { readonly account_id?: string };

export function addWebhook(
  app: FastifyInstance,
  { useCases }: Edge,
  provider: DeliveryProvider,
): void {
  const { name, displayName, deliverySchema } = provider;
  for (const path of [`/${name}`, `/${name}/:account_id`]) {
    const isOfAccount = path.endsWith(':account_id');
    app.post<{ Params: Params; Reply: Static<typeof Reply> }>(path, {
      config: { documentedBody: deliverySchema },
      schema: {
        operationId: `receive-${name}${isOfAccount ? '-of-account' : ''}`,
        summary: `Receive a delivery of ${displayName}${isOfAccount ? '' : ', from a bearer caller'}`,
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

function claimsOf(request: FastifyRequest<{ Params: Params }>): DeliveryClaims {
  return { accountId: request.params.account_id, token: findBearerToken(request) };
}

function rawDelivery(request: FastifyRequest): RawDelivery {
  return {
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    // The only header whose value Node gives as a list.
    headers: { ...request.headers, 'set-cookie': undefined, 'content-type': request.contentType },
  };
}
