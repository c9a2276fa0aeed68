/** `POST /api/v3/payment-link`: takes the body of create order and creates an order with a link. Contract 14.6. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { isoTimestamp } from '../../domain/time.ts';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { refined, text } from '../open-api/fields.ts';
import { markReplay } from './idempotency-key.ts';
import { addOperation } from './operation.ts';
import { OrderReply } from './order-reply-schemas.ts';
import { toOrderRequest, toText } from './order-request.ts';
import { CreateOrderBody, documentedOrderFields } from './order-schemas.ts';
import { orderView } from './order-view.ts';

const expiresAt = Type.Optional(
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: limits.textCharsMax,
    description: `When the order lapses and the link expires: ISO 8601 with a zone, in the future, at most ${limits.linkExpiryDaysMax} days ahead. When left out, the order lapses as one of create order does.`,
    examples: ['2026-12-31T18:30:00+05:30'],
  }),
);

const Body = Type.Object(
  { ...CreateOrderBody.properties, expires_at: expiresAt },
  {
    title: 'PaymentLinkRequest',
    description: 'Fields that are not listed are ignored. Null and empty count as absent.',
  },
);

const PaymentLinkReply = Type.Object(
  {
    ...OrderReply.properties,
    payment_link: text('URL for the consumer: it opens the checkout of the order.'),
    expires_at: text('When the order lapses unless it is paid before: UTC, RFC 3339.'),
  },
  { title: 'PaymentLink', description: 'An order with its tokens and its payment link.' },
);

export function addPaymentLink(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  addOperation(app, 'POST /payment-link', {
    operationId: 'createPaymentLink',
    tag: 'Orders',
    access: 'merchant',
    summary: 'Create an order with a link to pay it',
    description:
      'Takes the body of create order. Send the link to the consumer by e-mail or message: it opens the checkout until the order is paid or lapses. The same invoice with the same content returns the same link, and the header Idempotent-Replayed: true.',
    body: Body,
    documentedBody: refined(Body, documentedOrderFields),
    reply: PaymentLinkReply,
    replyDescription: 'The order, with its payment link and its tokens.',
    errors: ['DUPLICATE_INVOICE_ID'],
    replays: true,
    handler: async (request, reply) => {
      const { accountId } = getCaller(request);
      const { order, tokens, replayed, link } = await useCases.createPaymentLink(accountId, {
        ...toOrderRequest(request.body),
        expiresAt: toText(request.body.expires_at),
      });
      markReplay(reply, replayed);
      return {
        ...orderView(order, { ...tokens, now: clock(), masked: false }),
        payment_link: link,
        expires_at: isoTimestamp(order.lapsesAt),
      };
    },
  });
}
