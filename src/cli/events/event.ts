/** `event list`, `show` and `resend`: the webhooks to shops. Contract 12.7. */
import { commandLine } from '../../domain/audit.ts';
import { type EventKey, eventIdOf, findEventKey } from '../../domain/ids.ts';
import {
  type EventCursor,
  eventStates,
  type ListedEvent,
  type StoredAttempt,
} from '../../store/events/event-lists.ts';
import { listEvents, showEvent } from '../../use-cases/events/list-events.ts';
import { resendEvents } from '../../use-cases/events/resend-events.ts';
import {
  type ArgumentSpec,
  defineCommand,
  RefusedError,
  UsageError,
} from '../framework/command.ts';
import {
  choiceOption,
  orderOption,
  readOrderId,
  readSince,
  sinceOption,
} from '../framework/common-options.ts';
import { defineList, listScope } from '../framework/list.ts';
import { paint, renderFields } from '../framework/screen.ts';
import { ageOf, type Column, renderTable } from '../framework/table.ts';
import { readEndpointId } from './endpoint.ts';

function readAfter(text: string | undefined): EventCursor | undefined {
  if (text === undefined) return undefined;
  const [eventId = '', endpointId = ''] = text.split('/');
  const key = findEventKey(eventId);
  if (!key || endpointId === '')
    throw new UsageError('--after must be the "next" of the last page.');
  return { ...key, endpointId };
}

function eventView(event: ListedEvent) {
  return {
    eventId: eventIdOf(event),
    endpointId: event.endpointId,
    eventType: event.type,
    sequence: event.sequence,
    svcOrderId: event.orderId,
    state: event.state,
    attempts: event.attempts,
    nextAttemptAt: event.nextAttemptAt,
    occurredAt: event.occurredAt,
  };
}

const styles = { pending: 'yellow', delivered: 'green', undelivered: 'red' } as const;

const eventColumns: ReadonlyArray<Column<ReturnType<typeof eventView>>> = [
  { title: 'EVENT', text: ({ eventId }) => eventId },
  { title: 'TYPE', text: ({ eventType }) => eventType },
  { title: 'STATE', text: ({ state }) => state, style: ({ state }) => styles[state] },
  { title: 'ATTEMPTS', text: ({ attempts }) => String(attempts), isRight: true },
  { title: 'AGE', text: ({ occurredAt }, screen) => ageOf(occurredAt, screen), isRight: true },
  { title: 'NEXT', text: ({ nextAttemptAt }) => nextAttemptAt?.toISOString() },
  { title: 'ENDPOINT', text: ({ endpointId }) => endpointId },
];

export const eventList = defineList({
  name: ['event', 'list'],
  summary: 'List events and whether they were delivered.',
  description:
    'Lists events, one line for each endpoint: those of the newest order first. A page looks at 20,000 of them at most.',
  options: {
    ...orderOption,
    state: choiceOption('STATE', 'Only those of this state', eventStates),
  },
  since: 'Only those of orders created since then.',
  examples: ['event list --order o_…', 'event list --account acc_… --state undelivered'],
  rows: 'events',
  columns: eventColumns,
  prepare: ({ state, order, after: afterText }) => {
    const orderId = readOrderId(order);
    const after = readAfter(afterText);
    return async (services, page) => {
      const query = { ...page, filter: { orderId, state, orderedSince: page.since }, after };
      const { rows, next } = await listEvents(services, await listScope(services, page), query);
      return { rows: rows.map(eventView), next: next && `${eventIdOf(next)}/${next.endpointId}` };
    };
  },
});

const eventArgument = {
  name: 'EVENT_ID',
  phrase: 'an event id',
  text: 'The event, as "event list" prints it; it is also the header webhook-id.',
} as const satisfies ArgumentSpec;

function readEventKey(text: string): EventKey {
  const key = findEventKey(text);
  if (!key) throw new UsageError(`"${text}" is not an event id: "event list" prints them.`);
  return key;
}

export const eventShow = defineCommand({
  name: ['event', 'show'],
  summary: 'Print one event with its body and attempts.',
  description:
    'Prints one event, its body as it is sent unless it was pruned, and each attempt with the start of the answer. The body holds personal data.',
  arguments: [eventArgument],
  examples: ['event show evt_…'],
  read: ({ positionals: [eventId = ''] }) => ({ eventId, key: readEventKey(eventId) }),
  run: async (services, { eventId, key }) => {
    const event = await showEvent(services, key);
    if (!event) throw new RefusedError(`There is no event ${eventId}.`);
    return {
      event: {
        eventId,
        accountId: event.accountId,
        eventType: event.type,
        sequence: event.sequence,
        svcOrderId: event.orderId,
        svcTransactionId: event.transactionId,
        status: event.status,
        occurredAt: event.occurredAt,
        body: event.body?.toString('utf8') ?? null,
        bodyPruned: event.body === null,
      },
      attempts: event.attempts.map(attemptView),
    };
  },
  render: ({ event, attempts }, screen) => {
    const title = paint(screen, 'bold', 'Attempts:');
    return `${renderFields(event)}\n\n${title}\n${renderTable(attempts, attemptColumns, screen, 'None.')}`;
  },
});

function attemptView({ endpointId, attemptedAt, status, durationMs, response }: StoredAttempt) {
  return { endpointId, at: attemptedAt, status, durationMs, response };
}

const attemptColumns: ReadonlyArray<Column<ReturnType<typeof attemptView>>> = [
  { title: 'AT', text: ({ at }) => at.toISOString() },
  { title: 'STATUS', text: ({ status }) => status?.toString(), isRight: true },
  { title: 'MS', text: ({ durationMs }) => String(durationMs), isRight: true },
  { title: 'ENDPOINT', text: ({ endpointId }) => endpointId },
  { title: 'ANSWER', text: ({ response }) => response },
];

export const eventResend = defineCommand({
  name: ['event', 'resend'],
  summary: 'Send an event again, or all since a time.',
  description:
    'Makes an event due now, whatever became of it before; with --since, all events that occurred since then. The service sends them within a second, with the same ids and bodies as before.',
  arguments: [{ ...eventArgument, isOptional: true }],
  options: {
    ...sinceOption('All events since then.'),
    endpoint: { value: 'ID', text: 'Only to this endpoint.' },
  },
  examples: ['event resend evt_…', 'event resend --since 24h --endpoint ep_…'],
  read: ({ values, positionals: [eventId] }) => {
    if ((eventId === undefined) === (values.since === undefined)) {
      throw new UsageError('Give an event id, or a time with --since TIME.');
    }
    const event = eventId === undefined ? undefined : readEventKey(eventId);
    const sinceAt = readSince(values.since);
    const endpointId = values.endpoint === undefined ? undefined : readEndpointId(values.endpoint);
    return { eventId, event, sinceAt, endpointId };
  },
  run: async (services, { eventId, event, sinceAt, endpointId }) => {
    const since = sinceAt(services.clock()) ?? services.clock();
    const range = event ? { event } : { since };
    const { resent, pruned } = await resendEvents(services, range, endpointId, commandLine);
    if (event && resent + pruned === 0) {
      const isKnown = (await showEvent(services, event)) !== undefined;
      throw new RefusedError(
        isKnown
          ? `Event ${eventId} was not for ${endpointId ? `endpoint ${endpointId}` : 'any endpoint that still exists'}.`
          : `There is no event ${eventId}.`,
      );
    }
    if (event && resent === 0) {
      throw new RefusedError(
        `Event ${eventId} cannot be sent again: its body was pruned by age (EVENT_DAYS).`,
      );
    }
    return { resent, ...(pruned > 0 && { notResentBodyPruned: pruned }) };
  },
});
