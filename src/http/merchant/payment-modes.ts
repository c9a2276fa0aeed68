/** `POST /api/v3/payment-modes`. Contract 11.1. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { getExponent } from '../../domain/money/currency.ts';
import { majorNumber } from '../../domain/money/money.ts';
import type { Order } from '../../domain/orders/order.ts';
import { type PaymentModeCode, paymentModes } from '../../domain/payment-mode.ts';
import type { Edge } from '../edge.ts';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import { orderIdField, readOrderId } from './order-id.ts';

const Body = Type.Object({ order_id: orderIdField });

const Item = Type.Object({
  payment_mode_code: Type.String(),
  payment_mode: Type.String(),
  amount_before_tax: Type.Number(),
  tax: Type.Number(),
  currency: Type.String(),
  total_amount: Type.Number(),
  additional_charges: Type.Number(),
  grand_total_amount: Type.Number(),
  next: Type.Array(Type.Object({ action: Type.String(), url: Type.String() })),
});
const Items = Type.Object({ items: Type.Array(Item) });
const Reply = Type.Object({ fast_payment_modes: Items, other_payment_modes: Items });

export function addPaymentModes(app: FastifyInstance, { useCases }: Edge): void {
  app.post<{ Body: Static<typeof Body>; Reply: Static<typeof Reply> }>('/payment-modes', {
    config: { access: 'order' },
    schema: {
      operationId: 'paymentModes',
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
