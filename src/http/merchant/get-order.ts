/** `GET /api/v3/order`: the current state of an order. Contract 3.8. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { HttpContext } from '../http-context.ts';
import { addOperation } from './operation.ts';
import { FullOrderReply } from './order-reply-schemas.ts';
import { fullOrderView } from './order-view.ts';

/** The pattern refuses NUL, which no stored id contains and which PostgreSQL would report as an error. */
const id = (description: string) =>
  Type.Optional(
    Type.String({ maxLength: limits.invoiceIdCharsMax, pattern: '^[^\\u0000]*$', description }),
  );
const Query = Type.Object({
  order_id: id('Identifier of the order, issued at creation.'),
  invoice_id: id('Your reference used at creation.'),
});

export function addGetOrder(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  addOperation(app, 'GET /order', {
    operationId: 'getOrder',
    examples: 'get-order',
    tag: 'Orders',
    access: 'order',
    summary: 'Get an order by order_id or invoice_id',
    description:
      'With a merchant token order_id or invoice_id is required; when both are sent, they must belong together. A merchant token gets a fresh order token in the reply; an order token gets itself back.',
    query: Query,
    reply: FullOrderReply,
    replyDescription: 'The order as it is now.',
    errors: ['ORDER_NOT_FOUND', 'INVOICE_NOT_FOUND'],
    handler: async (request) => {
      const { caller, query } = request;
      const { order, token } = await useCases.getOrder(caller, {
        orderId: query.order_id || undefined,
        invoiceId: query.invoice_id || undefined,
      });
      const masked = caller.type !== 'merchant';
      return fullOrderView(order, { token, masked, now: clock() });
    },
  });
}
