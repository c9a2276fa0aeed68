/** An endpoint as the command line prints it, and the argument that names one. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint } from '../../domain/accounts/endpoint.ts';
import { accountLimits } from '../../domain/accounts/limits.ts';
import { eventTypes } from '../../domain/event-type.ts';
import { findAccountIdOfEndpoint } from '../../domain/ids.ts';
import { type ArgumentSpec, UsageError, type ValueSpec } from '../framework/command.ts';

export function endpointView(endpoint: Endpoint) {
  return {
    endpoint_id: endpoint.endpointId,
    account_id: endpoint.accountId,
    url: endpoint.url,
    events: endpoint.events.length === 0 ? [...eventTypes] : endpoint.events,
    enabled: endpoint.disabledReason === null,
    disabled_reason: endpoint.disabledReason,
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

export const endpointOptions = {
  url: { type: 'string', value: 'URL', text: 'Where events are sent, with https.' },
  event: {
    type: 'string',
    value: 'TYPE',
    multiple: true,
    text: `A type of events to send: ${eventTypes.join(', ')}. May be repeated. All unless given.`,
  },
} as const satisfies Record<string, ValueSpec>;

/** Every process of the service uses the endpoint from then on, so that no event after the command is missed. */
export async function untilEverybodyKnows(): Promise<void> {
  await delay(accountLimits.secretsCacheMsMax);
}
