/** Ends holds at either provider's own pages, or as if days had passed: for the page, the control calls and tests. */
import type { FastifyInstance } from 'fastify';
import {
  captureAtGatewayPortal,
  expireGatewayHold,
  voidAtGatewayPortal,
} from './bank-gateway/captures.ts';
import type { GatewayState } from './bank-gateway/state.ts';
import { minorOf } from './money.ts';
import { captureAtPartnerDashboard, expirePartnerHold } from './partner/holds.ts';
import type { PartnerState } from './partner/state.ts';
import { invalidInput, object, text } from './wire.ts';
import type { LedgerPayment, World } from './world.ts';

/** Each takes the id that the ledger has for the payment, and returns false if nothing is left of its hold. */
export function openHolds(world: World, partner: PartnerState, gateway: GatewayState) {
  const isPartners = (paymentId: string) => partner.payments.has(paymentId);
  return {
    /** Everything that is left, unless an amount is given in minor units. The partner captures no part. */
    capture: async (paymentId: string, amount?: number): Promise<boolean> => {
      const captured = isPartners(paymentId)
        ? await captureAtPartnerDashboard(world, partner, paymentId, amount)
        : await captureAtGatewayPortal(world, gateway, paymentId, amount);
      return captured !== undefined;
    },
    /** The partner has no void. */
    void: async (paymentId: string): Promise<boolean> =>
      !isPartners(paymentId) &&
      (await voidAtGatewayPortal(world, gateway, paymentId)) !== undefined,
    /** The partner releases the payment. The gateway says nothing, and declines captures from then on. */
    expire: async (paymentId: string): Promise<boolean> => {
      const expired = isPartners(paymentId)
        ? await expirePartnerHold(world, partner, paymentId)
        : await expireGatewayHold(world, gateway, paymentId);
      return expired !== undefined;
    },
  };
}

/** A form leads back to the page; other callers get the payment. */
export function addHoldControl(
  app: FastifyInstance,
  holds: ReturnType<typeof openHolds>,
  ledger: () => { readonly payments: LedgerPayment[] },
): void {
  app.post('/simulator/holds', async (request, reply) => {
    const body = object(request.body);
    const find = () => ledger().payments.find(({ id }) => id === body.payment_id);
    const payment = find();
    if (!payment) throw invalidInput('payment_id must be the id of a payment in the ledger.');
    const wished = text(body.amount);
    const amount = wished === undefined ? undefined : minorOf(wished, payment.currency);
    if (wished !== undefined && !amount) {
      throw invalidInput('amount must be in major units, such as 100.00.');
    }
    if (!(await take(body.step, payment.id, amount))) {
      throw invalidInput('The provider does not do that: nothing, or less, is left of the hold.');
    }
    if (request.headers['content-type']?.includes('form')) return reply.redirect('/', 303);
    return find();
  });

  function take(step: unknown, id: string, amount: number | undefined): Promise<boolean> {
    if (step === 'capture') return holds.capture(id, amount);
    if (step === 'void') return holds.void(id);
    if (step === 'expire') return holds.expire(id);
    throw invalidInput('step must be capture, void or expire.');
  }
}
