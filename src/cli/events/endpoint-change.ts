/** `endpoint update`, `rotate`, `enable`, `disable` and `delete`. Contract 12.1. */

import type { Endpoint } from '../../domain/accounts/endpoint.ts';
import { type Actor, commandLine } from '../../domain/audit.ts';
import type { Services } from '../../services/services.ts';
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  rotateEndpoint,
  updateEndpoint,
} from '../../use-cases/events/endpoints.ts';
import { overlapOption, readOverlap } from '../accounts/overlap-option.ts';
import { type Command, defineCommand, UsageError } from '../framework/command.ts';
import {
  endpointArgument,
  endpointOptions,
  endpointView,
  readEndpointId,
  untilEverybodyKnows,
} from './endpoint-view.ts';

export const endpointUpdate = defineCommand({
  name: ['endpoint', 'update'],
  summary: 'Change the URL or the types of events of an endpoint.',
  description:
    'Changes what is given and leaves the rest. With --event, those types replace the former ones; --all-events removes the choice.',
  arguments: [endpointArgument],
  options: {
    ...endpointOptions,
    'all-events': { type: 'boolean', text: 'Send all types of events.' },
  },
  examples: [
    'endpoint update ep_… --url https://shop.example/v2/events',
    'endpoint update ep_… --event order_completed',
  ],
  prepare: ({ values, positionals: [text = ''] }) => {
    const endpointId = readEndpointId(text);
    const { url, event, 'all-events': isAll } = values;
    if (url === undefined && event === undefined && !isAll) {
      throw new UsageError('Give --url URL, --event TYPE or --all-events.');
    }
    if (event !== undefined && isAll) throw new UsageError('Give --event or --all-events.');
    const events = isAll ? [] : event;
    const requested = { ...(url !== undefined && { url }), ...(events && { events }) };
    return {
      run: async (services) => {
        const changed = await updateEndpoint(services, endpointId, requested, commandLine);
        await untilEverybodyKnows();
        return endpointView(changed);
      },
    };
  },
});

export const endpointRotate = defineCommand({
  name: ['endpoint', 'rotate'],
  summary: 'Replace the secret of an endpoint.',
  description:
    'Creates a new secret and prints it this once. During the overlap, events are signed with both secrets.',
  arguments: [endpointArgument],
  options: overlapOption,
  examples: ['endpoint rotate ep_…', 'endpoint rotate ep_… --overlap 0s'],
  prepare: ({ values, positionals: [text = ''] }) => {
    const endpointId = readEndpointId(text);
    const overlapSeconds = readOverlap(values.overlap);
    return {
      run: async (services) => {
        const rotated = await rotateEndpoint(services, endpointId, overlapSeconds, commandLine);
        return {
          endpoint_id: endpointId,
          secret: rotated.secret,
          old_valid_until: rotated.oldValidUntil.toISOString(),
        };
      },
    };
  },
});

export const endpointEnable = commandOf('enable', enableEndpoint, {
  summary: 'Send events to an endpoint again.',
  description:
    'Enables an endpoint. Events that were waiting when it was disabled are sent now. Those that happened while it was disabled do not exist: nobody wanted them.',
});

export const endpointDisable = commandOf('disable', disableEndpoint, {
  summary: 'Stop sending events to an endpoint.',
  description:
    'Disables an endpoint. Its waiting events stay, and are sent when it is enabled again. What happens meanwhile is not stored for it.',
});

export const endpointDelete = commandOf('delete', deleteEndpoint, {
  summary: 'Remove an endpoint with its waiting events.',
  description: 'Removes an endpoint, its secrets, its waiting events and the log of its attempts.',
});

function commandOf(
  verb: string,
  change: (services: Services, endpointId: string, actor: Actor) => Promise<Endpoint>,
  texts: Pick<Command, 'summary' | 'description'>,
): Command {
  return defineCommand({
    name: ['endpoint', verb],
    ...texts,
    arguments: [endpointArgument],
    examples: [`endpoint ${verb} ep_…`],
    prepare: ({ positionals: [text = ''] }) => {
      const endpointId = readEndpointId(text);
      return {
        run: async (services) => {
          const changed = await change(services, endpointId, commandLine);
          if (verb === 'delete') return { endpoint_id: endpointId, deleted: true };
          await untilEverybodyKnows();
          return endpointView(changed);
        },
      };
    },
  });
}
