/** A dispute: the consumer's bank claims the money back, and the shop loses. */
import { idOf } from '../random.ts';
import type { Approval } from './approval.ts';
import { partnerEvent } from './events.ts';
import type { PartnerDispute, PartnerPayment } from './state.ts';

const respondWithinSeconds = 7 * 24 * 3600;

export function raiseDispute(approval: Approval, payment: PartnerPayment, stepMs: number): void {
  const { world, state, shop, scenario } = approval;
  world.schedule.run(async () => {
    await world.schedule.wait(stepMs, scenario.delayMs);
    const createdAt = Math.floor(world.now() / 1000);
    const opened: PartnerDispute = {
      id: `disp_${idOf(world.seed, `dispute:${payment.id}`, 14)}`,
      paymentId: payment.id,
      amount: payment.amount,
      currency: payment.currency,
      status: 'open',
      createdAt,
      respondBy: createdAt + respondWithinSeconds,
    };
    report('payment.dispute.created', opened);
    await world.schedule.wait(stepMs, scenario.delayMs);
    report('payment.dispute.lost', { ...opened, status: 'lost' });
  });

  function report(event: string, dispute: PartnerDispute): void {
    // The current payment: part of it may have been refunded in the meantime.
    const current = state.payments.get(payment.id) ?? payment;
    world.log(`partner: dispute ${dispute.id} of payment ${payment.id} ${dispute.status}`);
    const webhook = partnerEvent(world, shop, event, { payment: current, dispute });
    world.webhooks.post(payment.id, [webhook], scenario);
  }
}
