/** `POST /api/v3/create-order`. Contract 3. */
import type { FastifyInstance } from 'fastify';
import type { Edge } from '../edge.ts';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import { OrderReply } from './order-reply-schemas.ts';
import { toOrderRequest } from './order-request.ts';
import { CreateOrderBody } from './order-schemas.ts';
import { orderView } from './order-view.ts';

export function addCreateOrder(app: FastifyInstance, { useCases, clock }: Edge): void {
  app.post<{ Body: CreateOrderBody; Reply: OrderReply }>('/create-order', {
    config: { access: 'merchant' },
    schema: {
      operationId: 'createOrder',
      summary: 'Create an order for an invoice',
      description:
        'The same invoice with the same content returns the same order again, with the header Idempotent-Replayed: true.',
      tags: ['Orders'],
      body: CreateOrderBody,
      response: { 200: OrderReply, ...errorReplies },
    },
    handler: async (request, reply) => {
      const { accountId } = getCaller(request);
      const { order, tokens, replayed } = await useCases.createOrder(
        accountId,
        toOrderRequest(request.body),
      );
      if (replayed) reply.header('idempotent-replayed', 'true');
      return orderView(order, { ...tokens, now: clock(), masked: false });
    },
  });
}
