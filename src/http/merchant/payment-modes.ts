/** `POST /api/v3/payment-modes`. Contract 11.1. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { getExponent } from '../../domain/money/currency.ts';
import { majorNumber } from '../../domain/money/money.ts';
import type { Order } from '../../domain/orders/order.ts';
import { type PaymentModeCode, paymentModeCodes, paymentModes } from '../../domain/payment-mode.ts';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { oneOfWords } from '../open-api/vocabulary.ts';
import { Currency } from './currency-schema.ts';
import { orderIdField, readOrderId } from './order-id.ts';
import { NextCalls } from './order-reply-schemas.ts';

const Body = Type.Object(
  { order_id: orderIdField },
  { title: 'OrderReference', description: 'The order that the call is about.' },
);

const Item = Type.Object(
  {
    payment_mode_code: Type.Unsafe<string>({
      ...oneOfWords(paymentModeCodes),
      description: 'Goes into payment_mode_code of initiate-payment.',
    }),
    payment_mode: Type.Unsafe<string>({
      ...oneOfWords(Object.values(paymentModes)),
      description: 'Name to show to the consumer.',
    }),
    amount_before_tax: Type.Number({ description: 'Cart amount before tax, in major units.' }),
    tax: Type.Number({ description: 'Tax, in major units.' }),
    currency: Type.Unsafe<string>({ ...Currency }),
    total_amount: Type.Number({ description: 'Total including tax, in major units.' }),
    additional_charges: Type.Number({ description: 'Fee for this mode; always 0.' }),
    grand_total_amount: Type.Number({ description: 'total_amount plus additional_charges.' }),
    next: NextCalls,
  },
  { title: 'PaymentMode', description: 'A way to pay.' },
);
const items = (description: string) =>
  Type.Object(
    { items: Type.Array(Item, { description: 'The modes, in the order in which to show them.' }) },
    { description },
  );
const Reply = Type.Object(
  {
    fast_payment_modes: items('Modes that the consumer has paid with before.'),
    other_payment_modes: items('All other modes of the account.'),
  },
  { title: 'PaymentModes', description: 'The ways to pay for an order.' },
);

export function addPaymentModes(app: FastifyInstance, { useCases }: HttpContext): void {
  app.post<{ Body: Static<typeof Body>; Reply: Static<typeof Reply> }>('/payment-modes', {
    config: {
      access: 'order',
      documentation: {
        replyDescription: 'The payment modes of the account, with the amount to pay.',
        errors: ['ORDER_NOT_FOUND'],
        examples: new URL('./examples/payment-modes.json', import.meta.url),
      },
    },
    schema: {
      operationId: 'listPaymentModes',
      summary: 'List the ways to pay for an order',
      description: 'Modes that the consumer has paid with before are in fast_payment_modes.',
      tags: ['Payments'],
      body: Body,
      response: { 200: Reply, ...errorReplies },
    },
    handler: async (request) => {
      const caller = getCaller(request);
      const { order, fast, other } = await useCases.listPaymentModes(
        caller,
        readOrderId(caller, request.body),
      );
      return {
        fast_payment_modes: { items: fast.map((code) => itemView(order, code)) },
        other_payment_modes: { items: other.map((code) => itemView(order, code)) },
      };
    },
  });
}

function itemView({ amounts }: Order, code: PaymentModeCode): Static<typeof Item> {
  const exponent = getExponent(amounts.currency);
  return {
    payment_mode_code: code,
    payment_mode: paymentModes[code],
    amount_before_tax: majorNumber(amounts.beforeTax, exponent),
    tax: majorNumber(amounts.tax, exponent),
    currency: amounts.currency,
    total_amount: majorNumber(amounts.total, exponent),
    additional_charges: 0,
    grand_total_amount: majorNumber(amounts.total, exponent),
    next: [{ action: 'initiate_payment', url: '/api/v3/initiate-payment' }],
  };
}
