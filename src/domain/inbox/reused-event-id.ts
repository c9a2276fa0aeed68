/** A delivery whose event id came before with another body. It may be the genuine one, so it is applied, and flagged. */
import { withFlags } from '../payments/transaction.ts';
import { type Delivery, type DeliveryResult, isUnfinished } from './delivery.ts';

export function withoutEventId(delivery: Delivery): Delivery {
  return { ...delivery, eventId: null, flags: withFlags(delivery.flags, ['event_id_reused']) };
}

/** The flag stays on the delivery, whatever the result of applying it is. */
export function withReusedEventFlag(delivery: Delivery, result: DeliveryResult): DeliveryResult {
  if (!delivery.flags.includes('event_id_reused')) return result;
  const wasApplied = delivery.orderId !== null;
  if (result.state === 'stale' && wasApplied) return result;
  const flags = withFlags(result.flags, ['event_id_reused']);
  if (isUnfinished(result.state)) return { ...result, flags };
  const why = [result.why, 'its event id came before with another body'].filter(Boolean).join('; ');
  return { ...result, flags, state: 'needs_review', why };
}
