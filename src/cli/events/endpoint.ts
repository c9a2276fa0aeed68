/** `endpoint create`, `list`, `test`, `update`, `rotate`, `enable`, `disable` and `delete`. Contract 12.1. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint } from '../../domain/accounts/endpoint.ts';
import { accountLimits } from '../../domain/accounts/limits.ts';
import { type Actor, commandLine } from '../../domain/audit.ts';
import { eventTypes } from '../../domain/event-type.ts';
import { findAccountIdOfEndpoint } from '../../domain/ids.ts';
import type { Services } from '../../services/services.ts';
import { listAllEndpoints, listEndpoints } from '../../store/accounts/endpoints.ts';
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  rotateEndpoint,
  updateEndpoint,
} from '../../use-cases/events/endpoints.ts';
import { testEndpoint } from '../../use-cases/events/test-endpoint.ts';
import {
  type ArgumentSpec,
  type Command,
  cliCall,
  defineCommand,
  type OptionSpecs,
  UsageError,
  type Words,
} from '../framework/command.ts';
import {
  accountArgument,
  accountOption,
  checkAccount,
  overlapOption,
  readOverlap,
} from '../framework/common-options.ts';
import { type Column, renderTable } from '../framework/table.ts';

function endpointView(endpoint: Endpoint) {
  return {
    endpointId: endpoint.endpointId,
    accountId: endpoint.accountId,
    url: endpoint.url,
    events: endpoint.events.length === 0 ? [...eventTypes] : endpoint.events,
    enabled: endpoint.disabledReason === null,
    disabledReason: endpoint.disabledReason,
  };
}

const endpointArgument = {
  name: 'ENDPOINT_ID',
  phrase: 'an endpoint id',
  text: 'The endpoint, as "endpoint list" prints it.',
} as const satisfies ArgumentSpec;

export function readEndpointId(text: string): string {
  if (findAccountIdOfEndpoint(text) !== undefined) return text;
  throw new UsageError(`"${text}" is not an endpoint id: "endpoint list" prints them.`);
}

function readEndpoint({ positionals: [text = ''] }: Pick<Words<OptionSpecs>, 'positionals'>) {
  return readEndpointId(text);
}

const endpointOptions = {
  url: {
    value: 'URL',
    text: 'Where events are sent: https, or http on loopback in embedded mode.',
  },
  event: {
    value: 'TYPE',
    multiple: true,
    text: `A type of events to send: ${eventTypes.join(', ')}. May be repeated. All unless given.`,
  },
} as const satisfies OptionSpecs;

/** Every process of the service uses the endpoint from then on, so that no event after the command is missed. */
async function untilEverybodyKnows(): Promise<void> {
  await delay(accountLimits.secretsCacheMsMax);
}

export const endpointCreate = defineCommand({
  name: ['endpoint', 'create'],
  summary: 'Add a URL that events are sent to.',
  description:
    'Adds an endpoint to an account and prints its secret, which is shown this once. Everything that happens after the command has ended is sent to it.',
  arguments: [accountArgument],
  options: { ...endpointOptions, url: { ...endpointOptions.url, isRequired: true } },
  examples: [
    'endpoint create acc_… --url https://shop.example/events',
    'endpoint create acc_… --url https://shop.example/events --event order_completed --event refund_success',
  ],
  run: async (services, { values, positionals: [accountId = ''] }) => {
    const requested = { url: values.url, events: values.event ?? [] };
    const created = await createEndpoint(services, accountId, requested, commandLine);
    await untilEverybodyKnows();
    const { endpointId, url, events } = endpointView(created);
    return { endpointId, accountId, url, secret: created.secret, events };
  },
  advise: ({ endpointId }) => [`Send it a test event: ${cliCall} endpoint test ${endpointId}`],
});

export const endpointList = defineCommand({
  name: ['endpoint', 'list'],
  summary: 'Print endpoints, without their secrets.',
  description:
    'Prints the endpoints of all accounts or of one, with the reason if one is disabled.',
  options: accountOption,
  examples: ['endpoint list', 'endpoint list --account acc_…'],
  run: async ({ database, accounts }, { values: { account } }) => {
    await checkAccount({ accounts }, account);
    const endpoints =
      account === undefined ? listAllEndpoints(database) : listEndpoints(database, account);
    return { endpoints: (await endpoints).map(endpointView) };
  },
  render: ({ endpoints }, screen) => renderTable(endpoints, columns, screen),
});

const columns: ReadonlyArray<Column<ReturnType<typeof endpointView>>> = [
  { title: 'ENDPOINT', text: ({ endpointId }) => endpointId },
  { title: 'ACCOUNT', text: ({ accountId }) => accountId },
  { title: 'URL', text: ({ url }) => url, widthMax: 60 },
  {
    title: 'STATE',
    text: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
    style: ({ enabled }) => (enabled ? 'green' : 'red'),
  },
  { title: 'REASON', text: ({ disabledReason }) => disabledReason },
  { title: 'EVENTS', text: ({ events }) => events.join(',') },
];

export const endpointTest = defineCommand({
  name: ['endpoint', 'test'],
  summary: 'Send a test event now and print the answer.',
  description:
    'Sends an event of the type "test" with the sequence 0 and without an order, and prints the answer. It is not stored and not repeated. The exit status is 1 unless the answer is 2xx.',
  arguments: [endpointArgument],
  examples: ['endpoint test ep_…'],
  read: readEndpoint,
  run: async (services, endpointId) => {
    const tested = await testEndpoint(services, endpointId, commandLine);
    const { eventId, isDelivered: delivered, status, durationMs, response } = tested;
    return { endpointId, eventId, delivered, status, durationMs, response };
  },
  isFailure: ({ delivered }) => !delivered,
});

export const endpointUpdate = defineCommand({
  name: ['endpoint', 'update'],
  summary: 'Change the URL or the types of events of an endpoint.',
  description:
    'Changes what is given and leaves the rest. With --event, those types replace the former ones; --all-events removes the choice.',
  arguments: [endpointArgument],
  options: { ...endpointOptions, 'all-events': { text: 'Send all types of events.' } },
  examples: [
    'endpoint update ep_… --url https://shop.example/v2/events',
    'endpoint update ep_… --event order_completed',
  ],
  read: ({ values: { url, event, 'all-events': isAll }, positionals: [text = ''] }) => {
    const endpointId = readEndpointId(text);
    if (url === undefined && event === undefined && !isAll) {
      throw new UsageError('Give --url URL, --event TYPE or --all-events.');
    }
    if (event !== undefined && isAll) throw new UsageError('Give --event or --all-events.');
    const events = isAll ? [] : event;
    return {
      endpointId,
      requested: { ...(url !== undefined && { url }), ...(events && { events }) },
    };
  },
  run: async (services, { endpointId, requested }) => {
    const changed = await updateEndpoint(services, endpointId, requested, commandLine);
    await untilEverybodyKnows();
    return endpointView(changed);
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
  read: ({ values, positionals: [text = ''] }) => ({
    endpointId: readEndpointId(text),
    overlapSeconds: readOverlap(values.overlap),
  }),
  run: async (services, { endpointId, overlapSeconds }) => {
    const rotated = await rotateEndpoint(services, endpointId, overlapSeconds, commandLine);
    const { secret, oldValidUntil } = rotated;
    return { endpointId, secret, oldValidUntil };
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
    read: readEndpoint,
    run: async (services, endpointId) => {
      const changed = await change(services, endpointId, commandLine);
      if (verb === 'delete') return { endpointId, deleted: true };
      await untilEverybodyKnows();
      return endpointView(changed);
    },
  });
}
