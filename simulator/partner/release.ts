/**
 * An authorisation that nobody captured in time is released: the partner calls that a refund, although
 * nothing was ever taken.
 */
import { amountText } from '../money.ts';
import { idOf } from '../random.ts';
import type { Approval } from './approval.ts';
import type { PartnerPayment, PartnerRefund } from './book.ts';
import { partnerEvent } from './events.ts';

export function release(
  { world, book, shop, scenario }: Approval,
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
  book.payments.set(paymentId, payment);
  book.refunds.set(refund.id, refund);
  world.log(`partner: payment ${paymentId} released, ${amountText(payment)}`);
  const event = partnerEvent(world, shop, 'refund.processed', { payment, refund });
  world.webhooks.post(paymentId, [event], scenario);
}
