/** `POST /api/v3/create-order`. Contract 3. */
import type { FastifyInstance } from 'fastify';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { OrderReply } from './order-reply-schemas.ts';
import { toOrderRequest } from './order-request.ts';
import { CreateOrderBody, documentedCreateOrderBody } from './order-schemas.ts';
import { orderView } from './order-view.ts';

export function addCreateOrder(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  app.post<{ Body: CreateOrderBody; Reply: OrderReply }>('/create-order', {
    config: {
      access: 'merchant',
      documentation: {
        replyDescription: 'The order, with the tokens for its checkout.',
        errors: ['DUPLICATE_INVOICE_ID'],
        examples: new URL('./examples/create-order.json', import.meta.url),
        loadBody: async () => documentedCreateOrderBody,
        replays: true,
      },
    },
    schema: {
      operationId: 'createOrder',
      summary: 'Create an order for an invoice',
      description:
        'An invoice has one order. The same invoice with the same content returns the same order with fresh tokens, and the header Idempotent-Replayed: true.',
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
