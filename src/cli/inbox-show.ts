/** `inbox show`: prints one delivery with its headers and body as received, unless they were pruned. */
import { findAccountIdOfDelivery } from '../domain/ids.ts';
import type { Delivery } from '../domain/inbox/delivery.ts';
import { findDelivery } from '../store/deliveries.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';
import { deliveryView } from './delivery-view.ts';

export const inboxShow: Command = {
  name: ['inbox', 'show'],
  usage: 'inbox show ID [--json]',
  parse: (words) => {
    const { values, positionals } = readWords(words, jsonOption, ['a delivery id']);
    const [deliveryId = ''] = positionals;
    const accountId = readAccountId(deliveryId);
    return {
      json: values.json,
      run: async ({ database }) => {
        const delivery = await findDelivery(database, accountId, deliveryId);
        if (!delivery) throw new UsageError(`There is no delivery ${deliveryId}.`);
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
};

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
