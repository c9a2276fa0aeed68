/** A delivery as the command line prints it, and the option for its state. */
import { type Delivery, type DeliveryState, deliveryStates } from '../../domain/inbox/delivery.ts';
import type { DescribedDelivery } from '../../use-cases/inbox/describe-contents.ts';
import type { ValueSpec } from '../framework/command.ts';
import { readOneOf } from '../framework/common-options.ts';
import { amountNumber, amountText } from '../framework/money-text.ts';
import { styleOfStatus } from '../framework/status-style.ts';
import { ageOf, type Column } from '../framework/table.ts';

export function deliveryView(delivery: Omit<Delivery, 'headers' | 'body'>) {
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

export type DescribedView = ReturnType<typeof describedView>;

export function describedView(delivery: DescribedDelivery) {
  return {
    ...deliveryView(delivery),
    event: delivery.event,
    amount: amountNumber(delivery.amount, delivery.currency),
    currency: delivery.currency,
  };
}

export const deliveryColumns: ReadonlyArray<Column<DescribedView>> = [
  { title: 'DELIVERY', text: (shown) => shown.delivery_id },
  { title: 'STATE', text: ({ state }) => state, style: ({ state }) => styleOfStatus(state) },
  { title: 'EVENT', text: ({ event }) => event, widthMax: 30 },
  { title: 'AMOUNT', text: (shown) => amountText(shown.amount, shown.currency), isRight: true },
  { title: 'AGE', text: (shown, screen) => ageOf(shown.received_at, screen), isRight: true },
  { title: 'ORDER', text: (shown) => shown.order_id },
  { title: 'PROVIDER', text: ({ provider }) => provider },
  { title: 'FLAGS', text: ({ flags }) => flags.join(','), widthMax: 24, style: () => 'yellow' },
  { title: 'WHY', text: ({ why }) => why },
];

export const stateOption = {
  state: {
    type: 'string',
    value: 'STATE',
    text: `Only deliveries of this state: ${deliveryStates.join(', ')}.`,
  },
} as const satisfies Record<string, ValueSpec>;

export function readState(text: string | undefined): DeliveryState | undefined {
  return readOneOf('--state', text, deliveryStates);
}
