/** `POST /api/v3/payment-link`. Contract 14.6. */
import type { FastifyInstance } from 'fastify';
import { isoTimestamp } from '../../domain/time.ts';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { toOrderRequest, toText } from './order-request.ts';
import { orderView } from './order-view.ts';
import {
  documentedPaymentLinkBody,
  PaymentLinkBody,
  PaymentLinkReply,
} from './payment-link-schemas.ts';

export function addPaymentLink(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  app.post<{ Body: PaymentLinkBody; Reply: PaymentLinkReply }>('/payment-link', {
    config: {
      access: 'merchant',
      documentation: {
        replyDescription: 'The order, with its payment link and its tokens.',
        errors: ['DUPLICATE_INVOICE_ID'],
        examples: new URL('./examples/payment-link.json', import.meta.url),
        loadBody: async () => documentedPaymentLinkBody,
        replays: true,
      },
    },
    schema: {
      operationId: 'createPaymentLink',
      summary: 'Create an order with a link to pay it',
      description:
        'Takes the body of create order. Send the link to the consumer by e-mail or message: it opens the checkout until the order is paid or lapses. The same invoice with the same content returns the same link, and the header Idempotent-Replayed: true.',
      tags: ['Orders'],
      body: PaymentLinkBody,
      response: { 200: PaymentLinkReply, ...errorReplies },
    },
    handler: async (request, reply) => {
      const { accountId } = getCaller(request);
      const { order, tokens, replayed, link } = await useCases.createPaymentLink(accountId, {
        ...toOrderRequest(request.body),
        expiresAt: toText(request.body.expires_at),
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      return {
        ...orderView(order, { ...tokens, now: clock(), masked: false }),
        payment_link: link,
        expires_at: isoTimestamp(order.lapsesAt),
      };
    },
  });
}
