/** One order with its payments, and refunds of them. Contract 13.5. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { refuseField } from '../../domain/errors.ts';
import { findNote } from '../../domain/inbox/review.ts';
import { limits } from '../../domain/limits.ts';
import type { HttpContext } from '../http-context.ts';
import { markReplay, readIdempotencyKey } from '../merchant/idempotency-key.ts';
import { getAccount, getActor } from './dashboard-guard.ts';
import { orderPageView } from './order-page-view.ts';
import { isMaskedFor } from './orders.ts';
import { type Query, readText, refuseUnknown } from './read-query.ts';

type OrderParams = { readonly order_id: string };

const RefundBody = Type.Object({
  transaction_id: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
  refund_amount: Type.String({ minLength: 1, maxLength: 64 }),
  /** As the page showed it. */
  refunded_so_far: Type.String({ minLength: 1, maxLength: 64 }),
  note: Type.Optional(Type.String({ maxLength: limits.textCharsMax })),
});

export function addOrderPage(app: FastifyInstance, { useCases }: HttpContext): void {
  app.get<{ Params: OrderParams; Querystring: Query }>('/orders/:order_id', {
    config: { dashboard: 'viewer', bound: 'search' },
    schema: { hide: true },
    handler: async (request) => {
      const { accountId, role } = getAccount(request);
      refuseUnknown(request.query, ['after']);
      const after = readText(request.query, 'after');
      const { order_id: orderId } = request.params;
      const page = await useCases.getOrderPage({ accountId, orderId }, after);
      return orderPageView(page, isMaskedFor(role));
    },
  });

  app.post<{ Params: OrderParams; Body: Static<typeof RefundBody> }>('/orders/:order_id/refunds', {
    config: { dashboard: 'operator' },
    bodyLimit: limits.publicBodyBytesMax,
    schema: { hide: true, body: RefundBody },
    handler: async (request, reply) => {
      const { accountId } = getAccount(request);
      const { order_id: orderId } = request.params;
      const { body } = request;
      const made = await useCases.refundAsUser(
        getActor(request),
        { accountId, orderId },
        {
          transactionId: body.transaction_id,
          amount: body.refund_amount,
          refundedSoFar: body.refunded_so_far,
          // Without a key, a reply that is lost would lead to a second refund.
          key: readIdempotencyKey(request) ?? refuseField('Idempotency-Key', 'is missing'),
          note: findNote(body.note ?? '') ?? null,
        },
      );
      markReplay(reply, made.replayed);
      const { transactionId, status, paymentTransactionId } = made.reply;
      return {
        transaction_id: transactionId,
        refund_status: status,
        payment_transaction_id: paymentTransactionId,
      };
    },
  });
}
