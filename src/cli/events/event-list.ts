/** `event list`: prints events, one row for each endpoint, those of the newest orders first. Contract 12.7. */
import { eventIdOf, findEventKey } from '../../domain/ids.ts';
import { type EventCursor, eventStates, type ListedEvent } from '../../store/events/event-lists.ts';
import { listEvents } from '../../use-cases/events/list-events.ts';
import { UsageError } from '../framework/command.ts';
import { orderOption, readOrderId } from '../framework/common-options.ts';
import { defineList, effort, listScope } from '../framework/list.ts';
import { ageOf, type Column } from '../framework/table.ts';

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

const columns: ReadonlyArray<Column<ReturnType<typeof eventView>>> = [
  { title: 'EVENT', text: ({ eventId }) => eventId },
  { title: 'TYPE', text: ({ eventType }) => eventType },
  { title: 'STATE', text: ({ state }) => state, style: ({ state }) => styles[state] },
  { title: 'ATTEMPTS', text: ({ attempts }) => String(attempts), isRight: true },
  { title: 'AGE', text: (shown, screen) => ageOf(shown.occurredAt, screen), isRight: true },
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
    state: {
      value: 'STATE',
      words: eventStates,
      text: `Only those of this state: ${eventStates.join(', ')}.`,
    },
  },
  since: 'Only those of orders created since then.',
  examples: ['event list --order o_…', 'event list --account acc_… --state undelivered'],
  rows: 'events',
  columns,
  prepare: ({ state, order, after: afterText }) => {
    const orderId = readOrderId(order);
    const after = readAfter(afterText);
    return async (services, page) => {
      const { since: orderedSince, limit } = page;
      const query = { filter: { orderId, state, orderedSince }, after, limit, effort };
      const { rows, next } = await listEvents(services, await listScope(services, page), query);
      return { rows: rows.map(eventView), next: next && `${eventIdOf(next)}/${next.endpointId}` };
    };
  },
});
