/** `event show`: prints one event with its body as it is sent, and every attempt. Contract 12.7. */
import { type EventKey, eventIdOf, findEventKey } from '../../domain/ids.ts';
import { showEvent } from '../../use-cases/events/list-events.ts';
import {
  type ArgumentSpec,
  defineCommand,
  type Outcome,
  RefusedError,
  UsageError,
} from '../framework/command.ts';
import { renderFields } from '../framework/render.ts';
import { paint, type Screen } from '../framework/screen.ts';
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
  prepare: ({ positionals: [text = ''] }) => {
    const key = readEventKey(text);
    return {
      run: async (services) => {
        const event = await showEvent(services, key);
        if (!event) throw new RefusedError(`There is no event ${text}.`);
        return shownView(event);
      },
      render: (outcome, screen) => render(outcome as ShownView, screen),
    };
  },
});

type ShownView = ReturnType<typeof shownView>;
type AttemptView = ShownView['attempts'][number];

function shownView(event: NonNullable<Awaited<ReturnType<typeof showEvent>>>) {
  return {
    event: {
      event_id: eventIdOf(event),
      account_id: event.accountId,
      event_type: event.type,
      sequence: event.sequence,
      svc_order_id: event.orderId,
      svc_transaction_id: event.transactionId,
      status: event.status,
      occurred_at: event.occurredAt.toISOString(),
      body: event.body?.toString('utf8') ?? null,
      body_pruned: event.body === null,
    },
    attempts: event.attempts.map((attempt) => ({
      endpoint_id: attempt.endpointId,
      at: attempt.attemptedAt.toISOString(),
      status: attempt.status,
      duration_ms: attempt.durationMs,
      response: attempt.response,
    })),
  };
}

function render({ event, attempts }: ShownView, screen: Screen): string {
  return [
    renderFields(event satisfies Outcome),
    '',
    paint(screen, 'bold', 'Attempts:'),
    attempts.length === 0 ? 'None.' : renderTable(attempts, columns, screen),
  ].join('\n');
}

const columns: ReadonlyArray<Column<AttemptView>> = [
  { title: 'AT', text: ({ at }) => at },
  {
    title: 'STATUS',
    text: ({ status }) => (status === null ? '-' : String(status)),
    isRight: true,
  },
  { title: 'MS', text: (shown) => String(shown.duration_ms), isRight: true },
  { title: 'ENDPOINT', text: (shown) => shown.endpoint_id },
  { title: 'ANSWER', text: ({ response }) => response },
];
