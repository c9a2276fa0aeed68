/** A delivery in the field names of the dashboard: as a line of the inbox, and with its body beside what it means. */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { Translation } from '../../domain/inbox/translation.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { shownName, shownValue } from '../../domain/why/effects.ts';
import type { DeliveryBody, DescribedDelivery } from '../../use-cases/inbox/describe-contents.ts';
import { amountText } from './amounts.ts';
import { providerView } from './provider-view.ts';
import { wire } from './why-view.ts';

type Shown = Omit<Delivery, 'headers' | 'body' | 'deliveryKey' | 'expectedMerchant'>;

export function deliveryView(delivery: Shown) {
  return {
    delivery_id: delivery.deliveryId,
    ...providerView(delivery.provider),
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

export function listedDeliveryView({ event, amount, currency, ...delivery }: DescribedDelivery) {
  return { ...deliveryView(delivery), event, ...moneyView(amount, currency) };
}

export function deliveryBodyView({ delivery, event, headers, body, understood }: DeliveryBody) {
  return {
    ...deliveryView(delivery),
    ...{ event, event_id: delivery.eventId, headers, body, body_pruned: body === null },
    erased: delivery.isErased ?? false,
    understood: understood && understoodView(understood),
  };
}

/** An amount without a currency cannot be written. */
function moneyView(amount: number | null, currency: string | null) {
  const isKnown = amount !== null && currency !== null;
  return { amount: isKnown ? amountText(amount, currency) : null, currency };
}

/** What was understood of a delivery, in the field names of the API: a notice field by field, or why it is none. */
function understoodView(understood: Translation) {
  if (understood.kind !== 'notice') return wire(understood);
  const { references, payment, refund } = understood.notice;
  return {
    kind: 'notice',
    references: wire(references),
    payment: payment ? noticeView(payment) : null,
    refund: refund ? noticeView(refund) : null,
  };
}

/** Times and amounts of a notice are in milliseconds and minor units. */
function noticeView(notice: { readonly currency?: string }) {
  const { currency = null } = notice;
  const show = (field: string, value: unknown) =>
    withSnakeCase(shownValue(field, value, currency, 'text'));
  return Object.fromEntries(
    Object.entries(notice).map(([name, value]) => {
      if (name === 'statusSinceMs') return ['status_since', show('statusSinceAtMs', value)];
      if (name !== 'capturedTotal') return [shownName(name), show(name, value)];
      const [total] = show('parts', [value]) as unknown[];
      return ['captured_total', total];
    }),
  );
}
