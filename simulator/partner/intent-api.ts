/** `POST /v1/payments/create/upi`: the partner returns a link that opens the consumer's UPI app. */
import type { FastifyInstance } from 'fastify';
import type { PartnerShop } from '../shops.ts';
import type { StartCalls } from '../start-call.ts';
import { object, text, type Wire } from '../wire.ts';
import type { World } from '../world.ts';
import { authenticate, own, readNotes } from './api.ts';
import { newAttempt } from './payments.ts';
import { badRequest, partnerFaults } from './refusals.ts';
import {
  type Intent,
  isTaken,
  type PartnerOrder,
  type PartnerPayment,
  type PartnerState,
  referencesOf,
} from './state.ts';

export function addIntentApi(
  app: FastifyInstance,
  world: World,
  state: PartnerState,
  answerStart: StartCalls,
): void {
  app.post('/v1/payments/create/upi', async (request, reply) => {
    const shop = await authenticate(world, request);
    const body = object(request.body);
    const order = getOrder(state, shop, body);
    return answerStart(reply, {
      provider: 'partner',
      operation: 'start-intent',
      references: referencesOf(order),
      answers: partnerFaults,
      effect: () => {
        const payment = startAttempt(world, state, getOrder(state, shop, body), body);
        // A scanned code or a tapped link opens a page that plays the UPI app.
        const link = `http://${request.host}/upi/${payment.id}`;
        return { id: payment.id, status: 200, body: { razorpay_payment_id: payment.id, link } };
      },
    });
  });
}

function getOrder(state: PartnerState, shop: PartnerShop, body: Wire): PartnerOrder {
  return own(shop, state.orders.get(text(body.order_id) ?? ''));
}

function startAttempt(
  world: World,
  state: PartnerState,
  order: PartnerOrder,
  body: Wire,
): PartnerPayment {
  const { amount, currency } = body;
  if (amount !== order.amount || currency !== order.currency) {
    throw badRequest('Your payment amount is different from your order amount.', 'amount');
  }
  if (body.method !== 'upi' || object(body.upi).flow !== 'intent') {
    throw badRequest('The method must be upi and its flow intent.', 'method');
  }
  if (isTaken(state, order)) throw badRequest('Payment already done for this order.');
  const intent = readIntent(body);
  const payment: PartnerPayment = {
    ...newAttempt(world, state, order),
    status: 'created',
    method: 'upi',
    notes: { ...order.notes, ...readNotes(body.notes) },
    intent,
  };
  state.payments.set(payment.id, payment);
  return payment;
}

function readIntent(body: Wire): Intent {
  const [email, contact, description] = [
    text(body.email),
    text(body.contact),
    text(body.description),
  ];
  if (!email) throw badRequest('The email field is required.', 'email');
  if (!contact) throw badRequest('The contact field is required.', 'contact');
  return { email, contact, ...(description && { description }) };
}
