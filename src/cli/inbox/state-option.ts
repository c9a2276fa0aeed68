/** `--state`: the state of deliveries. */
import { type DeliveryState, deliveryStates } from '../../domain/inbox/delivery.ts';
import type { ValueSpec } from '../framework/command.ts';
import { readOneOf } from '../framework/one-of.ts';

export const stateOption = {
  state: {
    type: 'string',
    value: 'STATE',
    text: `Only deliveries of this state: ${deliveryStates.join(', ')}.`,
  },
} as const satisfies Record<string, ValueSpec>;

export function readState(text: string | undefined): DeliveryState | undefined {
  return readOneOf('--state', text, deliveryStates);
}
