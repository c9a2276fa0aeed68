/** The types of events that announce changes of an order to its shop. Contract 12.2. */
export const eventTypes = [
  'payment_authorized',
  'payment_success',
  'payment_failed',
  'payment_reversed',
  'refund_pending',
  'refund_success',
  'refund_failed',
  'dispute_created',
  'dispute_updated',
  'dispute_won',
  'dispute_lost',
  'dispute_closed',
  'order_completed',
  'order_lapsed',
  'review_needed',
] as const;
export type EventType = (typeof eventTypes)[number];
