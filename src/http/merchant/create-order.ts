/** `POST /api/v3/create-order`, also under `/api/v2`, and `payment-link`, which creates an order with a link. Contract 3 and 14.6. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { isoTimestamp } from '../../domain/time.ts';
import type { HttpContext } from '../http-context.ts';
import { field, object, refined, text } from '../open-api/fields.ts';
import { markReplay } from './idempotency-key.ts';
import { addOperation } from './operation.ts';
import { OrderReply } from './order-reply-schemas.ts';
import { toOrderRequest, toText } from './order-request.ts';
import { CreateOrderBody, documentedOrderFields } from './order-schemas.ts';
import { orderView } from './order-view.ts';

const common = {
  tag: 'Orders',
  access: 'merchant',
  errors: ['DUPLICATE_INVOICE_ID', 'PAYMENT_MODE_NOT_ALLOWED'],
  replays: true,
} as const;

export function addCreateOrder(
  app: FastifyInstance,
  { useCases, clock }: HttpContext,
  isAlias = false,
): void {
  addOperation(app, 'POST /create-order', {
    ...common,
    isAlias,
    operationId: 'createOrder',
    summary: 'Create an order for an invoice',
    description:
      'An invoice has one order. The same invoice with the same content returns the same order with fresh tokens, and the header Idempotent-Replayed: true.',
    body: CreateOrderBody,
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

const expiresAt = {
  ...field(
    ['string', 'null'],
    `When the order lapses and the link expires: ISO 8601 with a zone, in the future, at most ${limits.linkExpiryDaysMax} days ahead. When left out, the order lapses as one of create order does.`,
    { maxLength: limits.textCharsMax },
  ),
  examples: ['2026-12-31T18:30:00+05:30'],
};

const LinkBody = object(
  'PaymentLinkRequest',
  'Fields that are not listed are ignored. Null and empty count as absent.',
  { ...CreateOrderBody.properties, expires_at: Type.Optional(expiresAt) },
);

const LinkReply = object('PaymentLink', 'An order with its tokens and its payment link.', {
  ...OrderReply.properties,
  payment_link: text('URL for the consumer: it opens the checkout of the order.'),
  expires_at: text('When the order lapses unless it is paid before: UTC, RFC 3339.'),
});

export function addPaymentLink(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  addOperation(app, 'POST /payment-link', {
    ...common,
    operationId: 'createPaymentLink',
    summary: 'Create an order with a link to pay it',
    description:
      'Takes the body of create order. Send the link to the consumer by e-mail or message: it opens the checkout until the order is paid or lapses. The same invoice with the same content returns the same link, and the header Idempotent-Replayed: true.',
    body: LinkBody,
    documentedBody: refined(LinkBody, documentedOrderFields),
    reply: LinkReply,
    replyDescription: 'The order, with its payment link and its tokens.',
    handler: async ({ caller, body }, reply) => {
      const { order, tokens, replayed, link } = await useCases.createPaymentLink(caller.accountId, {
        ...toOrderRequest(body),
        expiresAt: toText(body.expires_at),
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
