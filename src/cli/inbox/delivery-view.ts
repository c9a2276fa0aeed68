/** A delivery as the command line prints it, and the option for its state. */
import { type Delivery, deliveryStates } from '../../domain/inbox/delivery.ts';
import type { DescribedDelivery } from '../../use-cases/inbox/describe-contents.ts';
import type { OptionSpecs } from '../framework/command.ts';
import { ageOf, amountNumber, amountText, type Column, styleOfStatus } from '../framework/table.ts';

export function deliveryView(delivery: Omit<Delivery, 'headers' | 'body'>) {
  return {
    deliveryId: delivery.deliveryId,
    accountId: delivery.accountId,
    provider: delivery.provider,
    state: delivery.state,
    why: delivery.why,
    flags: delivery.flags,
    orderId: delivery.orderId,
    tries: delivery.tries,
    nextTryAt: delivery.nextTryAt,
    receivedAt: delivery.receivedAt,
    finishedAt: delivery.finishedAt,
  };
}

export function describedView(delivery: DescribedDelivery) {
  return {
    ...deliveryView(delivery),
    event: delivery.event,
    amount: amountNumber(delivery.amount, delivery.currency),
    currency: delivery.currency,
  };
}

export const deliveryColumns: ReadonlyArray<Column<ReturnType<typeof describedView>>> = [
  { title: 'DELIVERY', text: ({ deliveryId }) => deliveryId },
  { title: 'STATE', text: ({ state }) => state, style: ({ state }) => styleOfStatus(state) },
  { title: 'EVENT', text: ({ event }) => event, widthMax: 30 },
  { title: 'AMOUNT', text: (shown) => amountText(shown.amount, shown.currency), isRight: true },
  { title: 'AGE', text: (shown, screen) => ageOf(shown.receivedAt, screen), isRight: true },
  { title: 'ORDER', text: ({ orderId }) => orderId },
  { title: 'PROVIDER', text: ({ provider }) => provider },
  { title: 'FLAGS', text: ({ flags }) => flags.join(','), widthMax: 24, style: () => 'yellow' },
  { title: 'WHY', text: ({ why }) => why },
];

export const stateOption = {
  state: {
    value: 'STATE',
    words: deliveryStates,
    text: `Only deliveries of this state: ${deliveryStates.join(', ')}.`,
  },
} as const satisfies OptionSpecs;
