/** `inbox replay`: applies a delivery again, or all deliveries of a state. */
import { commandLine } from '../domain/audit.ts';
import type { Delivery } from '../domain/inbox/delivery.ts';
import { limits } from '../domain/limits.ts';
import type { Services } from '../services/services.ts';
import { findDelivery, listDeliveryIds } from '../store/deliveries.ts';
import { retryDelivery } from '../use-cases/inbox/retry-delivery.ts';
import { unparkDeliveries } from '../use-cases/inbox/unpark-deliveries.ts';
import { deliveryArgument } from './arguments.ts';
import { defineCommand, RefusedError, UsageError } from './command.ts';
import { deliveryView } from './delivery-view.ts';
import { readAccountId } from './inbox-show.ts';
import { readState, stateOption } from './state-option.ts';

export const inboxReplay = defineCommand({
  name: ['inbox', 'replay'],
  summary: 'Apply a delivery again, or all of a state.',
  description:
    'Applies a delivery again, or with --state all deliveries of a state. A delivery that was applied changes nothing the second time.',
  arguments: [{ ...deliveryArgument, isOptional: true }],
  options: stateOption,
  examples: ['inbox replay dlv_…', 'inbox replay --state dead'],
  prepare: ({ values, positionals: [deliveryId] }) => {
    const state = readState(values.state);
    if ((deliveryId === undefined) === (state === undefined)) {
      throw new UsageError('Give a delivery id, or the state of deliveries with --state STATE.');
    }
    const one =
      deliveryId === undefined ? undefined : { accountId: readAccountId(deliveryId), deliveryId };
    return {
      run: async (services) => {
        const chosen = one ? [one] : await listDeliveryIds(services.database, state);
        const replayed = [];
        const pruned = [];
        for (const { accountId, deliveryId } of chosen) {
          const delivery = await replay(services, accountId, deliveryId);
          if (delivery.body) replayed.push(deliveryView(delivery));
          else if (one) throw new RefusedError(prunedMessage(delivery));
          else pruned.push(deliveryId);
        }
        return { replayed, ...(pruned.length > 0 && { not_replayed_body_pruned: pruned }) };
      },
    };
  },
});

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
    commandLine,
  ).catch(async () => ({
    delivery: await findDelivery(services.database, accountId, deliveryId),
    names: [],
  }));
  if (!delivery) throw new RefusedError(`There is no delivery ${deliveryId}.`);
  await unparkDeliveries(services, accountId, names);
  return delivery;
}

function prunedMessage({ deliveryId, state }: Delivery): string {
  if (state === 'expired') {
    return `Delivery ${deliveryId} cannot be replayed: it was dead for ${limits.deadDeliveryDays} days, so it expired and its body was pruned. It was never applied; let the provider send the event again, or look it up at the provider.`;
  }
  return `Delivery ${deliveryId} cannot be replayed: its body was pruned by age (INBOX_BODY_DAYS). It was finished before that, and its effects remain.`;
}
