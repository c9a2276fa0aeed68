/** `inbox show`: prints one delivery with its headers and body as received, unless they were pruned. */
import { findAccountIdOfDelivery } from '../../domain/ids.ts';
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
  read: ({ positionals: [deliveryId = ''] }) => ({
    deliveryId,
    accountId: readAccountId(deliveryId),
  }),
  run: async ({ database }, { deliveryId, accountId }) => {
    const delivery = await findDelivery(database, accountId, deliveryId);
    if (!delivery) throw new RefusedError(`There is no delivery ${deliveryId}.`);
    const prunedNote =
      delivery.state === 'expired'
        ? '(pruned when the delivery expired)'
        : '(pruned by age, see INBOX_BODY_DAYS)';
    return {
      ...deliveryView(delivery),
      deliveryKey: delivery.deliveryKey,
      eventId: delivery.eventId,
      headers: delivery.headers ? JSON.stringify(delivery.headers) : prunedNote,
      body: delivery.body?.toString('utf8') ?? prunedNote,
      bodyPruned: delivery.body === null,
    };
  },
});

export function readAccountId(deliveryId: string): string {
  const accountId = findAccountIdOfDelivery(deliveryId);
  if (accountId === undefined) throw new UsageError(`"${deliveryId}" is not a delivery id.`);
  return accountId;
}
