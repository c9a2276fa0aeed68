/** `event list`: prints events, one row for each endpoint, those of the newest orders first. Contract 12.7. */
import { eventIdOf, findEventKey } from '../../domain/ids.ts';
import { type EventCursor, eventStates, type ListedEvent } from '../../store/events/event-lists.ts';
import { listEvents } from '../../use-cases/events/list-events.ts';
import { defineCommand, UsageError } from '../framework/command.ts';
import { readOneOf } from '../framework/one-of.ts';
import {
  accountOption,
  afterOption,
  effort,
  limitOption,
  openScope,
  orderOption,
  readLimit,
  readOrderId,
  readSince,
  sinceOption,
} from '../framework/page-options.ts';
import { renderList } from '../framework/render-list.ts';
import { ageOf, type Column } from '../framework/table.ts';

export const eventList = defineCommand({
  name: ['event', 'list'],
  summary: 'List events and whether they were delivered.',
  description:
    'Lists events, one line for each endpoint: those of the newest order first. A page looks at 20,000 of them at most.',
  options: {
    ...accountOption,
    ...orderOption,
    state: {
      type: 'string',
      value: 'STATE',
      text: `Only those of this state: ${eventStates.join(', ')}.`,
    },
    ...sinceOption('Only those of orders created since then.'),
    ...limitOption,
    ...afterOption,
  },
  examples: ['event list --order o_…', 'event list --account acc_… --state undelivered'],
  prepare: ({ values }) => {
    const { account } = values;
    const state = readOneOf('--state', values.state, eventStates);
    const sinceAt = readSince(values.since);
    const limit = readLimit(values.limit);
    const orderId = readOrderId(values.order);
    const after = readAfter(values.after);
    return {
      run: async (services, _config, warn) => {
        const scope = await openScope(services, account, warn);
        const filter = { orderId, state, orderedSince: sinceAt(services.clock()) };
        const query = { filter, after, limit, effort };
        const { rows, next } = await listEvents(services, scope, query);
        return {
          events: rows.map(eventView),
          ...(next && { next: `${eventIdOf(next)}/${next.endpointId}` }),
        };
      },
      render: (outcome, screen) => {
        const { events, next } = outcome as { events: EventView[]; next?: string };
        return renderList(events, columns, next, screen);
      },
    };
  },
});

function readAfter(text: string | undefined): EventCursor | undefined {
  if (text === undefined) return undefined;
  const [eventId = '', endpointId = ''] = text.split('/');
  const key = findEventKey(eventId);
  if (!key || endpointId === '')
    throw new UsageError('--after must be the "next" of the last page.');
  return { ...key, endpointId };
}

type EventView = ReturnType<typeof eventView>;

function eventView(event: ListedEvent) {
  return {
    event_id: eventIdOf(event),
    endpoint_id: event.endpointId,
    event_type: event.type,
    sequence: event.sequence,
    svc_order_id: event.orderId,
    state: event.state,
    attempts: event.attempts,
    next_attempt_at: event.nextAttemptAt?.toISOString() ?? null,
    occurred_at: event.occurredAt.toISOString(),
  };
}

const styles = { pending: 'yellow', delivered: 'green', undelivered: 'red' } as const;

const columns: ReadonlyArray<Column<EventView>> = [
  { title: 'EVENT', text: (shown) => shown.event_id },
  { title: 'TYPE', text: (shown) => shown.event_type },
  { title: 'STATE', text: ({ state }) => state, style: ({ state }) => styles[state] },
  { title: 'ATTEMPTS', text: ({ attempts }) => String(attempts), isRight: true },
  { title: 'AGE', text: (shown, screen) => ageOf(shown.occurred_at, screen), isRight: true },
  { title: 'NEXT', text: (shown) => shown.next_attempt_at },
  { title: 'ENDPOINT', text: (shown) => shown.endpoint_id },
];
