/** `inbox replay`: applies a delivery again, or all deliveries of a state. */
import { commandLine } from '../../domain/audit.ts';
import { walkDeliveryIds } from '../../store/inbox/deliveries.ts';
import { replayDelivery } from '../../use-cases/inbox/replay-delivery.ts';
import { defineCommand, RefusedError, UsageError } from '../framework/command.ts';
import { deliveryArgument } from '../framework/common-options.ts';
import { deliveryView, stateOption } from './delivery-view.ts';
import { readAccountId } from './inbox-show.ts';

export const inboxReplay = defineCommand({
  name: ['inbox', 'replay'],
  summary: 'Apply a delivery again, or all of a state.',
  description:
    'Applies a delivery again, or with --state all deliveries of a state. A delivery that was applied changes nothing the second time.',
  arguments: [{ ...deliveryArgument, isOptional: true }],
  options: stateOption,
  examples: ['inbox replay dlv_…', 'inbox replay --state dead'],
  read: ({ values: { state }, positionals: [deliveryId] }) => {
    if ((deliveryId === undefined) === (state === undefined)) {
      throw new UsageError('Give a delivery id, or the state of deliveries with --state STATE.');
    }
    const one = deliveryId !== undefined && { accountId: readAccountId(deliveryId), deliveryId };
    return { one, state };
  },
  run: async (services, { one, state }) => {
    const ofState = state ? walkDeliveryIds(services.database, state) : [];
    const replayed = [];
    const pruned = [];
    for await (const key of one ? [one] : ofState) {
      // A delivery that fails again is printed in its stored state and does not stop the others.
      const outcome = await replayDelivery(services, commandLine, key);
      if (!outcome) throw new RefusedError(`There is no delivery ${key.deliveryId}.`);
      if (outcome.kind !== 'pruned') replayed.push(deliveryView(outcome.delivery));
      else if (one) throw new RefusedError(outcome.refusal);
      else pruned.push(key.deliveryId);
    }
    return { replayed, ...(pruned.length > 0 && { notReplayedBodyPruned: pruned }) };
  },
});
