/** `inbox list`: prints the newest deliveries, of all states or of one. */
import { type DeliveryState, deliveryStates } from '../domain/inbox/delivery.ts';
import { listDeliveries } from '../store/deliveries.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';
import { deliveryView } from './delivery-view.ts';

const listedMax = 100;

export const inboxList: Command = {
  name: ['inbox', 'list'],
  usage: `inbox list [--state ${deliveryStates.join('|')}] [--json]`,
  parse: (words) => {
    const { values } = readWords(words, { state: { type: 'string' }, ...jsonOption } as const);
    const state = readState(values.state);
    return {
      json: values.json,
      run: async ({ database }) => ({
        deliveries: (await listDeliveries(database, state, listedMax)).map(deliveryView),
      }),
    };
  },
};

export function readState(text: string | undefined): DeliveryState | undefined {
  if (text === undefined) return undefined;
  const state = deliveryStates.find((known) => known === text);
  if (!state) throw new UsageError(`--state must be one of ${deliveryStates.join(', ')}.`);
  return state;
}
