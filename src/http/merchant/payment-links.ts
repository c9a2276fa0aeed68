/** The calls of payment links: create, enquire, change and cancel. Contract 14.6 and 19.2. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { getExponent } from '../../domain/money/currency.ts';
import { majorNumber } from '../../domain/money/money.ts';
import type { Order } from '../../domain/orders/order.ts';
import { linkStatus, linkStatuses, type PaymentLink } from '../../domain/orders/payment-link.ts';
import { isoTimestamp } from '../../domain/time.ts';
import type { IssuedToken } from '../../security/tokens.ts';
import type { HttpContext } from '../http-context.ts';
import { field, list, number, object, refined, text, word } from '../open-api/fields.ts';
import { readClientNames } from './client-names.ts';
import { EnquiryReply } from './enquiry-schemas.ts';
import { enquiryView } from './enquiry-view.ts';
import { markReplay } from './idempotency-key.ts';
import { addOperation } from './operation.ts';
import { OrderReply } from './order-reply-schemas.ts';
import { toLinkUpdate, toOrderRequest, toText } from './order-request.ts';
import {
  CreateOrderBody,
  Currency,
  documentedOrderFields,
  optionalText,
  textOrNumber,
} from './order-schemas.ts';
import { orderView } from './order-view.ts';

const expiresAt = (otherwise: string) => ({
  ...field(
    ['string', 'null'],
    `When the order lapses and the link expires: ISO 8601 with a zone, or YYYY-MM-DD HH:MM:SS in UTC; in the future, at most ${limits.linkExpiryDaysMax} days ahead. ${otherwise}`,
    { maxLength: limits.textCharsMax },
  ),
  examples: ['2026-12-31T18:30:00+05:30'],
});

const CreateBody = object(
  'PaymentLinkRequest',
  'Fields that are not listed are ignored. Null and empty count as absent.',
  {
    ...CreateOrderBody.properties,
    expires_at: Type.Optional(expiresAt(`When left out, after ${limits.linkExpiryDays} days.`)),
  },
);

const linkNames = {
  payment_link_id: optionalText('Identifier of the link, as payment-link answered it.'),
  invoice_id: textOrNumber('Your reference used at creation.'),
};
const named =
  'The link by payment_link_id or invoice_id; if both are sent, they must belong together.';

const EnquiryBody = object('PaymentLinkEnquiryRequest', named, linkNames);
type LinkNamesBody = Static<typeof EnquiryBody>;

const { currency, amount_before_tax, tax, total_amount, order_line_items, description } =
  CreateOrderBody.properties;

const UpdateBody = object(
  'PaymentLinkUpdateRequest',
  `${named} Fields that are absent, null or empty stay as they are. Amounts are replaced together, as in update-order.`,
  {
    ...linkNames,
    currency,
    amount_before_tax,
    tax,
    total_amount,
    order_line_items,
    description,
    expires_at: Type.Optional(expiresAt('When left out, it stays as it is.')),
  },
);

const ActionBody = object('PaymentLinkActionRequest', named, {
  ...linkNames,
  action: word(['cancel', 'send'], 'cancel. The service sends no messages, so send answers 422.'),
});

const statusField = word(
  linkStatuses,
  'created: nobody has opened the checkout yet. opened: it was opened. paid: its order is completed, also by a late payment. cancelled: by you. expired: its order lapsed.',
);
const linkFields = {
  payment_link_id: text('Identifier of the link, for the other calls about it.'),
  payment_link_url: text('The same as payment_link.'),
  short_url: text('The same as payment_link.'),
};

const LinkReply = object('PaymentLink', 'An order with its tokens and its payment link.', {
  ...OrderReply.properties,
  status: statusField,
  payment_link: text('URL for the consumer: it opens the checkout of the order.'),
  ...linkFields,
  expires_at: text('When the order lapses unless it is paid before: UTC, RFC 3339.'),
});

const LinkEnquiryReply = object('PaymentLinkEnquiry', 'The latest status of a payment link.', {
  ...linkFields,
  order_id: text('Identifier of the order of the link.'),
  invoice_id: text('Your own reference for the order, as sent.'),
  status: statusField,
  currency: Currency,
  total_amount: number('Total including tax, in major units.'),
  payment_link_amount_paid: number(
    'Sum of the payments that succeeded, in major units. Refunds do not lessen it.',
  ),
  expires_at: text('When the order lapses or lapsed unless it is paid before: UTC, RFC 3339.'),
  orders_with_transactions: list(
    EnquiryReply,
    'The order of the link with its transactions, as in transaction-enquiry. A link has one order.',
  ),
});

const common = { tag: 'Orders', access: 'merchant' } as const;
const notFound = ['ORDER_NOT_FOUND', 'INVOICE_NOT_FOUND'] as const;

export function addPaymentLinks(app: FastifyInstance, context: HttpContext): void {
  addCreate(app, context);
  addEnquiry(app, context);
  addUpdate(app, context);
  addActions(app, context);
}

function addCreate(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  addOperation(app, 'POST /payment-link', {
    ...common,
    operationId: 'createPaymentLink',
    summary: 'Create an order with a link to pay it',
    description:
      'Takes the body of create order. Send the link to the consumer by e-mail or message: it opens the checkout until the order is paid or lapses. The same invoice with the same content returns the same link, and the header Idempotent-Replayed: true.',
    body: CreateBody,
    prepareBody: readClientNames,
    documentedBody: refined(CreateBody, documentedOrderFields),
    reply: LinkReply,
    replyDescription: 'The order, with its payment link and its tokens.',
    errors: ['DUPLICATE_INVOICE_ID', 'PAYMENT_MODE_NOT_ALLOWED'],
    replays: true,
    handler: async ({ caller, body }, reply) => {
      const { replayed, ...created } = await useCases.createPaymentLink(caller.accountId, {
        ...toOrderRequest(body),
        expiresAt: toText(body.expires_at),
      });
      markReplay(reply, replayed);
      return linkView(created, clock());
    },
  });
}

function addEnquiry(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  addOperation(app, 'POST /payment-link/enquiry', {
    ...common,
    operationId: 'enquirePaymentLink',
    examples: 'payment-link-enquiry',
    summary: 'Get the latest status of a payment link',
    description: 'The reply reflects every webhook that was answered before.',
    body: EnquiryBody,
    reply: LinkEnquiryReply,
    replyDescription: 'The link, its order and its transactions.',
    errors: notFound,
    handler: async ({ caller, body }) => {
      const found = await useCases.enquireLink(caller, namesOf(body));
      const { order } = found.enquiry;
      const exponent = getExponent(order.amounts.currency);
      return {
        ...urlsView(found.linkId, found.url),
        order_id: order.orderId,
        invoice_id: order.invoiceId,
        status: found.status,
        currency: order.amounts.currency,
        total_amount: majorNumber(order.amounts.total, exponent),
        payment_link_amount_paid: majorNumber(found.paid, exponent),
        expires_at: isoTimestamp(order.lapsesAt),
        orders_with_transactions: [enquiryView(found.enquiry, { now: clock(), masked: false })],
      };
    },
  });
}

function addUpdate(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  addOperation(app, 'PATCH /payment-link', {
    ...common,
    operationId: 'updatePaymentLink',
    examples: 'payment-link-update',
    summary: 'Change the amount, the items, the description or the end of a payment link',
    description: 'While nobody has paid or started a payment. The address stays the same.',
    body: UpdateBody,
    prepareBody: readClientNames,
    documentedBody: UpdateBody,
    reply: LinkReply,
    replyDescription: 'The order after the change, with its payment link and new tokens.',
    errors: [...notFound, 'LINK_CANNOT_BE_UPDATED'],
    handler: async ({ caller, body }) => {
      const changes = { ...toLinkUpdate(body), expiresAt: toText(body.expires_at) };
      const updated = await useCases.updatePaymentLink(caller.accountId, namesOf(body), changes);
      return linkView(updated, clock());
    },
  });
}

/** The path of the newer PHP client, which names the last part twice. */
const actionsTwice = 'POST /payment-link/actions/actions';

function addActions(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  for (const route of ['POST /payment-link/actions', actionsTwice]) {
    addOperation(app, route, {
      ...common,
      operationId: 'cancelPaymentLink',
      isAlias: route === actionsTwice,
      aliases: [actionsTwice.replace(' ', ' /api/v3')],
      examples: 'payment-link-actions',
      summary: 'Cancel a payment link',
      description:
        'The order lapses, and the link opens a page that says that it was cancelled. A payment that was started before and succeeds later still counts, and the link is paid then. Cancelling twice answers 200.',
      body: ActionBody,
      reply: LinkReply,
      replyDescription: 'The order with its payment link, without tokens.',
      errors: [...notFound, 'ORDER_COMPLETED', 'LINK_CANNOT_BE_SENT'],
      handler: async ({ caller, body }) => {
        if (body.action === 'send') throw new ServiceError('LINK_CANNOT_BE_SENT');
        if (body.action !== 'cancel') refuseField('action', 'must be cancel');
        const names = namesOf(body);
        return linkView(await useCases.cancelPaymentLink(caller.accountId, names), clock());
      },
    });
  }
}

function namesOf(body: LinkNamesBody) {
  return { linkId: toText(body.payment_link_id), invoiceId: toText(body.invoice_id) };
}

type ViewedLink = {
  readonly order: Order;
  readonly link: PaymentLink;
  readonly url: string;
  readonly tokens?: { readonly token: IssuedToken; readonly refreshToken: IssuedToken };
};

function linkView({ order, link, url, tokens }: ViewedLink, now: Date): Static<typeof LinkReply> {
  return {
    ...orderView(order, { ...tokens, now, masked: false }),
    status: linkStatus(link, order, now),
    payment_link: url,
    ...urlsView(link.linkId, url),
    expires_at: isoTimestamp(order.lapsesAt),
  };
}

function urlsView(linkId: string, url: string) {
  return { payment_link_id: linkId, payment_link_url: url, short_url: url };
}
