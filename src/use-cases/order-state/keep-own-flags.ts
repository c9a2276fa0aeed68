/** Flags that a delivery had before it was applied stay with it, whatever applying it comes to. */
import { type Delivery, type DeliveryResult, isUnfinished } from '../../domain/inbox/delivery.ts';
import { withFlags } from '../../domain/transactions/transaction.ts';

export function keepOwnFlags(delivery: Delivery, result: DeliveryResult): DeliveryResult {
  if (!delivery.flags.includes('event_id_reused')) return result;
  const wasApplied = delivery.orderId !== null;
  if (result.state === 'stale' && wasApplied) return result;
  const flags = withFlags(result.flags, ['event_id_reused']);
  if (isUnfinished(result.state)) return { ...result, flags };
  const why = [result.why, 'its event id came before with another body'].filter(Boolean).join('; ');
  return { ...result, flags, state: 'needs_review', why };
}
