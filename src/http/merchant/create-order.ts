/** `POST /api/v3/create-order`, also under `/api/v2`. Contract 3. */
import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../http-context.ts';
import { refined } from '../open-api/fields.ts';
import { readClientNames } from './client-names.ts';
import { markReplay } from './idempotency-key.ts';
import { addOperation } from './operation.ts';
import { OrderReply } from './order-reply-schemas.ts';
import { toOrderRequest } from './order-request.ts';
import { CreateOrderBody, documentedOrderFields } from './order-schemas.ts';
import { orderView } from './order-view.ts';

export function addCreateOrder(
  app: FastifyInstance,
  { useCases, clock }: HttpContext,
  isAlias = false,
): void {
  addOperation(app, 'POST /create-order', {
    tag: 'Orders',
    access: 'merchant',
    errors: ['DUPLICATE_INVOICE_ID', 'PAYMENT_MODE_NOT_ALLOWED'],
    replays: true,
    isAlias,
    operationId: 'createOrder',
    summary: 'Create an order for an invoice',
    description:
      'An invoice has one order. The same invoice with the same content returns the same order with fresh tokens, and the header Idempotent-Replayed: true.',
    body: CreateOrderBody,
    prepareBody: readClientNames,
    documentedBody: refined(CreateOrderBody, documentedOrderFields),
    reply: OrderReply,
    replyDescription: 'The order, with the tokens for its checkout.',
    aliases: ['POST /api/v2/create-order'],
    handler: async ({ caller, body }, reply) => {
      const { order, tokens, replayed } = await useCases.createOrder(
        caller.accountId,
        toOrderRequest(body),
      );
      markReplay(reply, replayed);
      return orderView(order, { ...tokens, now: clock(), masked: false });
    },
  });
}
