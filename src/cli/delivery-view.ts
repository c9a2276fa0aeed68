/** A delivery as the command line prints it. */
import type { Delivery } from '../domain/inbox/delivery.ts';

export function deliveryView(delivery: Delivery) {
  return {
    delivery_id: delivery.deliveryId,
    account_id: delivery.accountId,
    provider: delivery.provider,
    state: delivery.state,
    why: delivery.why,
    flags: delivery.flags,
    order_id: delivery.orderId,
    tries: delivery.tries,
    next_try_at: delivery.nextTryAt?.toISOString() ?? null,
    received_at: delivery.receivedAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  };
}
