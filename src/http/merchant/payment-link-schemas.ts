/** The body and the reply of payment-link: those of create order and the fields of the link. Contract 14.6. */
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { refined } from '../open-api/vocabulary.ts';
import { OrderReply } from './order-reply-schemas.ts';
import { CreateOrderBody, documentedOrderFields } from './order-schemas.ts';

const expiresAt = Type.Optional(
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: limits.textCharsMax,
    description: `When the order lapses and the link expires: ISO 8601 with a zone, in the future, at most ${limits.linkExpiryDaysMax} days ahead. When left out, the order lapses as one of create order does.`,
    examples: ['2026-12-31T18:30:00+05:30'],
  }),
);

export const PaymentLinkBody = Type.Object(
  { ...CreateOrderBody.properties, expires_at: expiresAt },
  {
    title: 'PaymentLinkRequest',
    description: 'Fields that are not listed are ignored. Null and empty count as absent.',
  },
);
export type PaymentLinkBody = Static<typeof PaymentLinkBody>;

export const documentedPaymentLinkBody = refined(PaymentLinkBody, documentedOrderFields);

export const PaymentLinkReply = Type.Object(
  {
    ...OrderReply.properties,
    payment_link: Type.String({
      description: 'URL for the consumer: it opens the checkout of the order.',
    }),
    expires_at: Type.String({
      description: 'When the order lapses unless it is paid before: UTC, RFC 3339.',
    }),
  },
  {
    title: 'PaymentLink',
    description: 'An order with its tokens and its payment link.',
  },
);
export type PaymentLinkReply = Static<typeof PaymentLinkReply>;
