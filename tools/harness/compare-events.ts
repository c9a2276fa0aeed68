/** What a shop knows that gets the events of an order in any order and keeps the one with the highest sequence. */
import type { Enquiry, WebhookEvent } from '../../client/client.js';

/** Statuses that are announced; the others are no results. */
const announced = {
  payment: ['authorized', 'failed', 'succeeded', 'reversing', 'reversed'],
  refund: ['pending', 'failed', 'succeeded'],
} as const;

type OrderEvent = Exclude<WebhookEvent, { event_type: 'test' }>;

/** Empty if the sequences have no gap and the last events agree with the enquiry. */
export function listContradictions(enquiry: Enquiry, events: readonly OrderEvent[]): string[] {
  const { order, transaction: elements } = enquiry;
  const last = new Map<string | null, OrderEvent>();
  for (const event of events) {
    const known = last.get(event.svc_transaction_id);
    if (!known || event.sequence > known.sequence) last.set(event.svc_transaction_id, event);
  }
  const wrongs = [...listGaps(events)];
  for (const element of elements) {
    const { svc_transaction_id: id } = element;
    const kind = element.transaction_type === 'payment' ? 'payment' : 'refund';
    const status = (kind === 'payment' ? element.payment_status : element.refund_status) ?? '';
    const known = last.get(id)?.status;
    last.delete(id);
    const isNoResult = known === undefined && !announced[kind].some((word) => word === status);
    if (known !== status && !isNoResult) wrongs.push(`${id} is ${status}, announced was ${known}`);
  }
  const known = last.get(null)?.status ?? 'new';
  last.delete(null);
  // Neither is a result, so the step from one to the other is not announced.
  const isOpen = (status: string) => ['new', 'pending'].includes(status);
  if (known !== order.status && !(isOpen(known) && isOpen(order.status))) {
    wrongs.push(`${order.svc_order_id} is ${order.status}, announced was ${known}`);
  }
  for (const [id, { status }] of last) {
    if (status !== 'removed') wrongs.push(`${id} was announced as ${status}, and does not exist`);
  }
  return wrongs;
}

function listGaps(events: readonly OrderEvent[]): string[] {
  const sequences = events.map(({ sequence }) => sequence).sort((a, b) => a - b);
  const hasGap = sequences.some((sequence, index) => sequence !== index + 1);
  return hasGap ? [`the sequences are ${sequences.join(', ')}`] : [];
}
