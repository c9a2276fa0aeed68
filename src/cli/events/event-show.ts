/** `event show`: prints one event with its body as it is sent, and every attempt. Contract 12.7. */
import { type EventKey, findEventKey } from '../../domain/ids.ts';
import type { StoredAttempt } from '../../store/events/event-lists.ts';
import { showEvent } from '../../use-cases/events/list-events.ts';
import {
  type ArgumentSpec,
  defineCommand,
  RefusedError,
  UsageError,
} from '../framework/command.ts';
import { paint, renderFields } from '../framework/screen.ts';
import { type Column, renderTable } from '../framework/table.ts';

export const eventArgument = {
  name: 'EVENT_ID',
  phrase: 'an event id',
  text: 'The event, as "event list" prints it; it is also the header webhook-id.',
} as const satisfies ArgumentSpec;

export function readEventKey(text: string): EventKey {
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
    return `${renderFields(event)}\n\n${title}\n${renderTable(attempts, columns, screen, 'None.')}`;
  },
});

function attemptView({ endpointId, attemptedAt, status, durationMs, response }: StoredAttempt) {
  return { endpointId, at: attemptedAt, status, durationMs, response };
}

const columns: ReadonlyArray<Column<ReturnType<typeof attemptView>>> = [
  { title: 'AT', text: ({ at }) => at.toISOString() },
  { title: 'STATUS', text: ({ status }) => status?.toString(), isRight: true },
  { title: 'MS', text: ({ durationMs }) => String(durationMs), isRight: true },
  { title: 'ENDPOINT', text: ({ endpointId }) => endpointId },
  { title: 'ANSWER', text: ({ response }) => response },
];
