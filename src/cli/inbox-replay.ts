/** `inbox replay`: applies a delivery again, or all deliveries of a state. */
import type { Delivery } from '../domain/inbox/delivery.ts';
import { limits } from '../domain/limits.ts';
import type { Services } from '../services/services.ts';
import { findDelivery, listDeliveryIds } from '../store/deliveries.ts';
import { retryDelivery } from '../use-cases/inbox/retry-delivery.ts';
import { unparkDeliveries } from '../use-cases/inbox/unpark-deliveries.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';
import { deliveryView } from './delivery-view.ts';
import { readState } from './inbox-list.ts';
import { readAccountId } from './inbox-show.ts';

export const inboxReplay: Command = {
  name: ['inbox', 'replay'],
  usage: 'inbox replay ID | inbox replay --state STATE [--json]',
  parse: (words) => {
    const hasState = words.some((word) => word.startsWith('--state'));
    const options = { state: { type: 'string' }, ...jsonOption } as const;
    const { values, positionals } = readWords(words, options, hasState ? [] : ['a delivery id']);
    const state = readState(values.state);
    const [deliveryId = ''] = positionals;
    const one = hasState ? undefined : { accountId: readAccountId(deliveryId), deliveryId };
    return {
      json: values.json,
      run: async (services) => {
        const chosen = one ? [one] : await listDeliveryIds(services.database, state);
        const replayed = [];
        const pruned = [];
        for (const { accountId, deliveryId } of chosen) {
          const delivery = await replay(services, accountId, deliveryId);
          if (delivery.body) replayed.push(deliveryView(delivery));
          else if (one) throw new UsageError(prunedMessage(delivery));
          else pruned.push(deliveryId);
        }
        return { replayed, ...(pruned.length > 0 && { not_replayed_body_pruned: pruned }) };
      },
    };
  },
};

/** A delivery that fails again is printed in its stored state and does not stop the others. */
async function replay(
  services: Services,
  accountId: string,
  deliveryId: string,
): Promise<Delivery> {
  const { delivery, names } = await retryDelivery(
    services,
    accountId,
    deliveryId,
    'requested',
  ).catch(async () => ({
    delivery: await findDelivery(services.database, accountId, deliveryId),
    names: [],
  }));
  if (!delivery) throw new UsageError(`There is no delivery ${deliveryId}.`);
  await unparkDeliveries(services, accountId, names);
  return delivery;
}

function prunedMessage({ deliveryId, state }: Delivery): string {
  if (state === 'expired') {
    return `Delivery ${deliveryId} cannot be replayed: it was dead for ${limits.deadDeliveryDays} days, so it expired and its body was pruned. It was never applied; let the provider send the event again, or look it up at the provider.`;
  }
  return `Delivery ${deliveryId} cannot be replayed: its body was pruned by age (INBOX_BODY_DAYS). It was finished before that, and its effects remain.`;
}
