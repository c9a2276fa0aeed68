/** An endpoint as the command line prints it, and the argument that names one. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint } from '../../domain/accounts/endpoint.ts';
import { accountLimits } from '../../domain/accounts/limits.ts';
import { eventTypes } from '../../domain/event-type.ts';
import { findAccountIdOfEndpoint } from '../../domain/ids.ts';
import {
  type ArgumentSpec,
  type OptionSpecs,
  UsageError,
  type Words,
} from '../framework/command.ts';

export function endpointView(endpoint: Endpoint) {
  return {
    endpointId: endpoint.endpointId,
    accountId: endpoint.accountId,
    url: endpoint.url,
    events: endpoint.events.length === 0 ? [...eventTypes] : endpoint.events,
    enabled: endpoint.disabledReason === null,
    disabledReason: endpoint.disabledReason,
  };
}

export const endpointArgument = {
  name: 'ENDPOINT_ID',
  phrase: 'an endpoint id',
  text: 'The endpoint, as "endpoint list" prints it.',
} as const satisfies ArgumentSpec;

export function readEndpointId(text: string): string {
  if (findAccountIdOfEndpoint(text) !== undefined) return text;
  throw new UsageError(`"${text}" is not an endpoint id: "endpoint list" prints them.`);
}

/** For commands whose only argument it is. */
export function readEndpoint({
  positionals: [text = ''],
}: Pick<Words<OptionSpecs>, 'positionals'>) {
  return readEndpointId(text);
}

export const endpointOptions = {
  url: { value: 'URL', text: 'Where events are sent, with https.' },
  event: {
    value: 'TYPE',
    multiple: true,
    text: `A type of events to send: ${eventTypes.join(', ')}. May be repeated. All unless given.`,
  },
} as const satisfies OptionSpecs;

/** Every process of the service uses the endpoint from then on, so that no event after the command is missed. */
export async function untilEverybodyKnows(): Promise<void> {
  await delay(accountLimits.secretsCacheMsMax);
}
