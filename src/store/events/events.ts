/** The outbox: one row for each event and each endpoint that wants it. Contract 12.3. */
import type { EventType } from '../../domain/event-type.ts';
import type { EventKey } from '../../domain/ids.ts';
import { defineRows } from '../../postgres/binary-rows.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { OrderKey } from '../order-rows.ts';
import { insertAll, listValues } from '../query.ts';

export type NewEvent = EventKey & {
  readonly type: EventType;
  readonly transactionId: string | null;
  readonly status: string;
  readonly occurredAt: Date;
  /** Stored as UTF-8. */
  readonly body: string;
  readonly endpointIds: readonly string[];
};

type NewRow = { readonly event: NewEvent; readonly endpointId: string };

const newRows = defineRows<NewRow>(
  { text: ['endpointId'] },
  {
    account_id: ['text', ({ event }) => event.accountId],
    order_id: ['text', ({ event }) => event.orderId],
    sequence: ['integer', ({ event }) => event.sequence],
    event_type: ['text', ({ event }) => event.type],
    transaction_id: ['text', ({ event }) => event.transactionId],
    status: ['text', ({ event }) => event.status],
    occurred_at: ['timestamptz', ({ event }) => event.occurredAt],
    body: ['bytea', ({ event }) => event.body],
    state: ['text', () => 'pending'],
    attempts: ['integer', () => 0],
    failures: ['integer', () => 0],
    next_attempt_at: ['timestamptz', ({ event }) => event.occurredAt],
  },
);

/** The orders must be locked: their lock ends the race for the next number. */
export async function insertEvents(tx: Transaction, events: readonly NewEvent[]) {
  const entries = events.flatMap((event) =>
    event.endpointIds.map((endpointId) => ({ event, endpointId })),
  );
  await insertAll(tx, { name: 'insert-events', into: 'events', rows: newRows, entries });
}

/** Which of these transactions of an order have events. */
export async function findAnnouncedIds(
  tx: Transaction,
  { accountId, orderId }: OrderKey,
  transactionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const values = [accountId, orderId, transactionIds];
  const ids = await listValues<string>(tx, values, 'find-announced-ids')`
    select distinct transaction_id from events
     where account_id = $1 and order_id = $2 and transaction_id = any($3::text[])`;
  return new Set(ids);
}
