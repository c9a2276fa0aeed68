/** `POST /v1/payments/:id/capture`: the shop takes what its consumer's bank has reserved. There is no call to void. */
import type { FastifyInstance } from 'fastify';
import { behaviourOf } from '../behaviours.ts';
import { pick, randomOf } from '../random.ts';
import type { PartnerShop } from '../shops.ts';
import type { StartCalls } from '../start-call.ts';
import { object, type Wire } from '../wire.ts';
import type { World } from '../world.ts';
import { authenticate, own } from './api.ts';
import { capture } from './captures.ts';
import { approvalOf, asOfNow } from './holds.ts';
import { paymentRecord } from './records.ts';
import { badRequest, partnerFaults } from './refusals.ts';
import { type PartnerPayment, type PartnerState, referenceOf, referencesOf } from './state.ts';

export function addCaptureApi(
  app: FastifyInstance,
  world: World,
  state: PartnerState,
  answerStart: StartCalls,
): void {
  app.post<{ Params: { id: string } }>('/v1/payments/:id/capture', async (request, reply) => {
    const shop = await authenticate(world, request);
    const payment = own(shop, state.payments.get(request.params.id));
    const order = state.orders.get(payment.orderId);
    return answerStart(reply, {
      provider: 'partner',
      operation: 'start-capture',
      references: [...(order ? referencesOf(order) : []), payment.id],
      paymentReference: referenceOf(payment, order),
      answers: partnerFaults,
      effect: () => {
        // Read again: it may have been captured while this call waited.
        const current = own(shop, state.payments.get(payment.id));
        const captured = startCapture(world, state, shop, current, object(request.body));
        return { id: captured.id, status: 200, body: paymentRecord(captured) };
      },
    });
  });
}

function startCapture(
  world: World,
  state: PartnerState,
  shop: PartnerShop,
  known: PartnerPayment,
  { amount, currency }: Wire,
): PartnerPayment {
  const payment = asOfNow(world, state, shop, known);
  const approval = approvalOf(world, state, shop, payment);
  if (payment.status === 'captured') throw badRequest(pick(randomOf(0, payment.id), takenBefore));
  if (payment.status !== 'authorized') {
    throw badRequest(
      'Only payments which have been authorized and not yet captured can be captured',
    );
  }
  if (currency !== payment.currency) {
    throw badRequest('The currency must be the one of the payment.', 'currency');
  }
  if (amount !== payment.amount) {
    throw badRequest('Capture amount must be equal to the amount authorized.', 'amount');
  }
  if (behaviourOf(approval.scenario).captures === 'declined') {
    throw badRequest('The payment could not be captured.');
  }
  return capture(approval, payment);
}

/** The partner says either, and neither means that this call has captured the payment. */
const takenBefore = [
  'This payment has already been captured',
  'Capture failed because the order is already paid',
] as const;
