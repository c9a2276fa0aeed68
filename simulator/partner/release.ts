/**
 * An authorisation that was not captured in time is released. The partner reports that as a refund, although no money
 * was taken.
 */
import { amountText } from '../money.ts';
import { idOf } from '../random.ts';
import type { Approval } from './approval.ts';
import { partnerEvent } from './events.ts';
import type { PartnerPayment, PartnerRefund } from './state.ts';

export function release(
  { world, state, shop, scenario }: Approval,
  authorized: PartnerPayment,
): void {
  const { id: paymentId, amount, currency } = authorized;
  const payment: PartnerPayment = { ...authorized, status: 'released', amountRefunded: amount };
  const refund: PartnerRefund = {
    id: `rfnd_${idOf(world.seed, `release:${paymentId}`, 14)}`,
    paymentId,
    amount,
    currency,
    receipt: null,
    notes: {},
    status: 'processed',
    speed: 'normal',
    createdAt: Math.floor(world.now() / 1000),
    isRelease: true,
    request: '',
    idempotencyKey: undefined,
  };
  state.payments.set(paymentId, payment);
  state.refunds.set(refund.id, refund);
  world.log(`partner: payment ${paymentId} released, ${amountText(payment)}`);
  const event = partnerEvent(world, shop, 'refund.processed', { payment, refund });
  world.webhooks.post(paymentId, [event], scenario);
}
