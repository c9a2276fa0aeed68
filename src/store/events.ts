/** The outbox: events, and a delivery of each for every endpoint that wants it. Contract 12.3. */
import type { EventType } from '../domain/event-type.ts';
import type { EventName } from '../domain/ids.ts';
import { defineRows } from '../postgres/binary-rows.ts';
import type { Transaction } from '../postgres/database.ts';
import { inOrder } from '../postgres/in-order.ts';

export type NewEvent = EventName & {
  readonly type: EventType;
  readonly transactionId: string | null;
  readonly status: string;
  readonly occurredAt: Date;
  readonly body: Buffer;
  readonly endpointIds: readonly string[];
};

const eventRows = defineRows<NewEvent>({
  account_id: ['text', ({ accountId }) => accountId],
  order_id: ['text', ({ orderId }) => orderId],
  sequence: ['integer', ({ sequence }) => sequence],
  event_type: ['text', ({ type }) => type],
  transaction_id: ['text', ({ transactionId }) => transactionId],
  status: ['text', ({ status }) => status],
  occurred_at: ['timestamptz', ({ occurredAt }) => occurredAt],
  body: ['bytea', ({ body }) => body],
});

const deliveryRows = defineRows<NewEvent & { readonly endpointId: string }>({
  account_id: ['text', ({ accountId }) => accountId],
  order_id: ['text', ({ orderId }) => orderId],
  sequence: ['integer', ({ sequence }) => sequence],
  endpoint_id: ['text', ({ endpointId }) => endpointId],
  occurred_at: ['timestamptz', ({ occurredAt }) => occurredAt],
});

/** The orders must be locked: their lock ends the race for the next number. */
export async function insertEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const deliveries = events.flatMap((event) =>
    event.endpointIds.map((endpointId) => ({ ...event, endpointId })),
  );
  await inOrder([
    () =>
      tx.query({
        name: 'insert-events',
        text: `insert into events (${eventRows.names}) select * from ${eventRows.from}`,
        values: eventRows.toParameters(events),
      }),
    () =>
      tx.query({
        name: 'insert-event-deliveries',
        text: `insert into event_deliveries (${deliveryRows.names}, state, attempts, failures, next_attempt_at)
               select row.*, 'pending', 0, 0, occurred_at from ${deliveryRows.from}`,
        values: deliveryRows.toParameters(deliveries),
      }),
  ]);
}
