/** Lists events for an operator, those of the newest orders first, and shows one with its attempts. Contract 12.7. */
import { type EventName, firstOrderIdAt } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import {
  type NewestPage,
  type NewestQuery,
  type NewestScope,
  readNewest,
} from '../../services/read-newest.ts';
import {
  type EventState,
  eventKeyOf,
  findEvent,
  type ListedEvent,
  listAttempts,
  listNewestEvents,
  newestEvents,
  type StoredAttempt,
  type StoredEvent,
} from '../../store/events/event-lists.ts';
import { listHighestKeys } from '../../store/inbox/newest.ts';

type Needs = { readonly database: Database };

export type EventsQuery = NewestQuery & {
  readonly orderId: string | undefined;
  readonly state: EventState | undefined;
  /** The order was created then or later. */
  readonly orderedSince: Date | undefined;
};

export function listEvents(
  { database }: Needs,
  scope: NewestScope,
  { orderId, state, orderedSince, ...query }: EventsQuery,
): Promise<NewestPage<ListedEvent>> {
  const from = orderedSince && firstOrderIdAt(orderedSince);
  const range = { orderId, state, from };
  return readNewest<ListedEvent>(
    scope,
    {
      keyOf: eventKeyOf,
      listHighest: (before) => listHighestKeys(database, newestEvents({ ...range, before })),
      read: (accountId, page) => listNewestEvents(database, accountId, { ...range, ...page }),
      isWanted: (event) => from === undefined || event.orderId >= from,
    },
    query,
  );
}

export type ShownEvent = StoredEvent & { readonly attempts: readonly StoredAttempt[] };

export async function showEvent(
  { database }: Needs,
  name: EventName,
): Promise<ShownEvent | undefined> {
  const event = await findEvent(database, name);
  return event && { ...event, attempts: await listAttempts(database, name) };
}
