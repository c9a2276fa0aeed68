/** `inbox list`: prints the newest deliveries, of all states or of one, page by page. */
import { type DeliveryState, deliveryStates } from '../domain/inbox/delivery.ts';
import { findDelivery, listDeliveries } from '../store/deliveries.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';
import { deliveryView } from './delivery-view.ts';
import { readAccountId } from './inbox-show.ts';
import { limitOption, readLimit } from './limit.ts';

export const inboxList: Command = {
  name: ['inbox', 'list'],
  usage: `inbox list [--state ${deliveryStates.join('|')}] [--limit N] [--after ID] [--json]`,
  parse: (words) => {
    const text = { type: 'string' } as const;
    const options = { state: text, after: text, ...limitOption, ...jsonOption } as const;
    const { values } = readWords(words, options);
    const state = readState(values.state);
    const limit = readLimit(values.limit);
    const { after } = values;
    const afterAccountId = after === undefined ? undefined : readAccountId(after);
    return {
      json: values.json,
      run: async ({ database }) => {
        const last =
          after !== undefined && afterAccountId !== undefined
            ? await findDelivery(database, afterAccountId, after)
            : undefined;
        if (after !== undefined && !last) throw new UsageError(`There is no delivery ${after}.`);
        const deliveries = await listDeliveries(database, { state, after: last, limit });
        const next = deliveries.length === limit ? deliveries.at(-1)?.deliveryId : undefined;
        return { deliveries: deliveries.map(deliveryView), ...(next !== undefined && { next }) };
      },
    };
  },
};

export function readState(text: string | undefined): DeliveryState | undefined {
  if (text === undefined) return undefined;
  const state = deliveryStates.find((known) => known === text);
  if (!state) throw new UsageError(`--state must be one of ${deliveryStates.join(', ')}.`);
  return state;
}
