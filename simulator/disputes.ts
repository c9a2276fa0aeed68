/** Disputes at either provider: for the page, the control calls and tests. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chargeBack } from './bank-gateway/chargebacks.ts';
import type { GatewayState } from './bank-gateway/state.ts';
import {
  type DisputeStep,
  type DisputeWish,
  isDisputePhase,
  isDisputeStep,
} from './dispute-steps.ts';
import { minorOf } from './money.ts';
import { movePartnerDispute, openPartnerDispute } from './partner/disputes.ts';
import type { PartnerState } from './partner/state.ts';
import { invalidInput, object, text } from './wire.ts';
import type { LedgerDispute, LedgerPayment, World } from './world.ts';

export function openDisputes(world: World, partner: PartnerState, gateway: GatewayState) {
  return {
    /**
     * The consumer's bank claims a payment back, by the id that the ledger has for it. At the gateway that is a
     * chargeback, which is lost from the start. Returns the id of the dispute; undefined if the payment is not captured
     * or less is left of it.
     */
    open: (paymentId: string, wish: DisputeWish = {}): Promise<string | undefined> =>
      partner.payments.has(paymentId)
        ? openPartnerDispute(world, partner, paymentId, wish)
        : chargeBack(world, gateway, paymentId, wish.amount),
    /** False for what is no dispute of the partner: a chargeback of the gateway does not change. */
    move: (disputeId: string, step: DisputeStep): Promise<boolean> =>
      movePartnerDispute(world, partner, disputeId, step),
  };
}

type Ledger = { readonly payments: LedgerPayment[]; readonly disputes: LedgerDispute[] };

/** A form leads back to the page; other callers get the dispute. */
export function addDisputeControl(
  app: FastifyInstance,
  disputes: ReturnType<typeof openDisputes>,
  ledger: () => Ledger,
): void {
  app.post('/simulator/disputes', async (request, reply) => {
    const body = object(request.body);
    const payment = ledger().payments.find(({ id }) => id === body.payment_id);
    if (!payment) throw invalidInput('payment_id must be the id of a payment in the ledger.');
    const wished = text(body.amount);
    const amount = wished === undefined ? undefined : minorOf(wished, payment.currency);
    if (wished !== undefined && !amount) {
      throw invalidInput('amount must be in major units, such as 100.00.');
    }
    const phase = text(body.phase);
    if (phase !== undefined && !isDisputePhase(phase)) {
      throw invalidInput('phase must be one of the partner.');
    }
    const disputeId = await disputes.open(payment.id, { amount, phase });
    if (!disputeId) throw invalidInput('The payment is not captured, or less is left of it.');
    return answer(request, reply, 201, disputeId);
  });

  app.post<{ Params: { id: string } }>('/simulator/disputes/:id', async (request, reply) => {
    const { id } = request.params;
    const { step } = object(request.body);
    if (!isDisputeStep(step))
      throw invalidInput('step must be action_required, under_review, won, lost or closed.');
    if (!(await disputes.move(id, step)))
      throw invalidInput('The partner has no dispute with this id.');
    return answer(request, reply, 200, id);
  });

  function answer({ headers }: FastifyRequest, reply: FastifyReply, status: number, id: string) {
    if (headers['content-type']?.includes('form')) return reply.redirect('/', 303);
    return reply.code(status).send(ledger().disputes.find((dispute) => dispute.id === id));
  }
}
