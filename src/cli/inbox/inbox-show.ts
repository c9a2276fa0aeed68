/** `inbox show`: prints one delivery with its headers and body as received, unless they were pruned. */
import { findAccountIdOfDelivery } from '../../domain/ids.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { findDelivery } from '../../store/inbox/deliveries.ts';
import { defineCommand, RefusedError, UsageError } from '../framework/command.ts';
import { deliveryArgument } from '../framework/common-options.ts';
import { deliveryView } from './delivery-view.ts';

export const inboxShow = defineCommand({
  name: ['inbox', 'show'],
  summary: 'Print one delivery with its body.',
  description:
    'Prints one delivery with its state, and with its headers and body as received unless they were pruned. The body may hold personal data.',
  arguments: [deliveryArgument],
  examples: ['inbox show dlv_…'],
  prepare: ({ positionals: [deliveryId = ''] }) => {
    const accountId = readAccountId(deliveryId);
    return {
      run: async ({ database }) => {
        const delivery = await findDelivery(database, accountId, deliveryId);
        if (!delivery) throw new RefusedError(`There is no delivery ${deliveryId}.`);
        return {
          ...deliveryView(delivery),
          delivery_key: delivery.deliveryKey,
          event_id: delivery.eventId,
          headers: delivery.headers ? JSON.stringify(delivery.headers) : prunedNote(delivery),
          body: delivery.body?.toString('utf8') ?? prunedNote(delivery),
          body_pruned: delivery.body === null,
        };
      },
    };
  },
});

function prunedNote({ state }: Delivery): string {
  return state === 'expired'
    ? '(pruned when the delivery expired)'
    : '(pruned by age, see INBOX_BODY_DAYS)';
}

export function readAccountId(deliveryId: string): string {
  const accountId = findAccountIdOfDelivery(deliveryId);
  if (accountId === undefined) throw new UsageError(`"${deliveryId}" is not a delivery id.`);
  return accountId;
}
