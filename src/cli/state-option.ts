/** `--state`: the state of deliveries. */
import { type DeliveryState, deliveryStates } from '../domain/inbox/delivery.ts';
import { UsageError, type ValueSpec } from './command.ts';

export const stateOption = {
  state: {
    type: 'string',
    value: 'STATE',
    text: `Only deliveries of this state: ${deliveryStates.join(', ')}.`,
  },
} as const satisfies Record<string, ValueSpec>;

export function readState(text: string | undefined): DeliveryState | undefined {
  if (text === undefined) return undefined;
  const state = deliveryStates.find((known) => known === text);
  if (!state) throw new UsageError(`--state must be one of ${deliveryStates.join(', ')}.`);
  return state;
}
