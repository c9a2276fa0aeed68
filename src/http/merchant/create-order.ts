/** `POST /api/v3/create-order`. Contract 3. */
import type { FastifyInstance } from 'fastify';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { refined } from '../open-api/fields.ts';
import { markReplay } from './idempotency-key.ts';
import { addOperation } from './operation.ts';
import { OrderReply } from './order-reply-schemas.ts';
import { toOrderRequest } from './order-request.ts';
import { CreateOrderBody, documentedOrderFields } from './order-schemas.ts';
import { orderView } from './order-view.ts';

export function addCreateOrder(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  addOperation(app, 'POST /create-order', {
    operationId: 'createOrder',
    tag: 'Orders',
    access: 'merchant',
    summary: 'Create an order for an invoice',
    description:
      'An invoice has one order. The same invoice with the same content returns the same order with fresh tokens, and the header Idempotent-Replayed: true.',
    body: CreateOrderBody,
    documentedBody: refined(CreateOrderBody, documentedOrderFields),
    reply: OrderReply,
    replyDescription: 'The order, with the tokens for its checkout.',
    errors: ['DUPLICATE_INVOICE_ID'],
    replays: true,
    handler: async (request, reply) => {
      const { accountId } = getCaller(request);
      const { order, tokens, replayed } = await useCases.createOrder(
        accountId,
        toOrderRequest(request.body),
      );
      markReplay(reply, replayed);
      return orderView(order, { ...tokens, now: clock(), masked: false });
    },
  });
}
