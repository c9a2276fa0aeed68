/** The partner's webhooks: the envelope, the signature and the retry schedule. */
import { createHmac } from 'node:crypto';
import { idOf } from '../random.ts';
import type { PartnerShop } from '../shops.ts';
import type { Webhook } from '../webhook-sender.ts';
import type { Wire } from '../wire.ts';
import type { World } from '../world.ts';
import { disputeRecord, orderRecord, paymentRecord, refundRecord } from './records.ts';
import type { PartnerDispute, PartnerOrder, PartnerPayment, PartnerRefund } from './state.ts';

/** Sixteen attempts over 22.8 hours. */
const ladderSeconds = [
  0.23, 6, 19, 40, 82, 164, 328, 656, 1_312, 2_624, 5_248, 10_496, 20_368, 20_368, 20_368,
];
const answerWithinMs = 5_000;

type Entities = {
  readonly payment: PartnerPayment;
  readonly refund?: PartnerRefund;
  readonly order?: PartnerOrder;
  readonly dispute?: PartnerDispute;
};

export function partnerEvent(
  world: World,
  shop: PartnerShop,
  event: string,
  { payment, refund, order, dispute }: Entities,
): Webhook {
  const subject = dispute ?? refund ?? payment;
  const label = `event:${event}:${subject.id}:${subject.status}`;
  // A dispute may ask for something more than once.
  const id = idOf(world.seed, dispute ? `${label}:${dispute.events}` : label, 14);
  const payload: Wire = {
    ...(refund && { refund: { entity: refundRecord(refund) } }),
    payment: { entity: { ...paymentRecord(payment), ...(dispute && asInDispute(dispute)) } },
    ...(order && { order: { entity: orderRecord(order) } }),
    ...(dispute && { dispute: { entity: disputeRecord(dispute) } }),
  };
  const body = JSON.stringify({
    entity: 'event',
    account_id: `acc_${idOf(world.seed, `account:${shop.keyId}`, 14)}`,
    event,
    contains: Object.keys(payload),
    payload,
    created_at: Math.floor(world.now() / 1000),
  }).replaceAll('/', '\\/'); // The partner escapes slashes, so a body that is parsed and serialised again differs.
  return {
    id,
    label: `${event} ${subject.id}`,
    url: shop.webhookUrl,
    body,
    answerWithinMs,
    ladderSeconds,
    headers: (_attempt, isForged) => ({
      'content-type': 'application/json',
      'user-agent': 'Razorpay-Webhook/v1',
      'x-razorpay-event-id': id,
      'x-razorpay-signature': sign(body, isForged ? 'another secret' : shop.webhookSecret),
    }),
  };
}

/** The partner reports the payment of a dispute that was won as if it had not been captured. */
function asInDispute({ status }: PartnerDispute): Wire {
  return status === 'won' ? { status: 'authorized', captured: false } : {};
}

function sign(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
