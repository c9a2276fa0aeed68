/**
 * Lists events, those of the newest orders first, of one account or of several, and shows one. Contract 12.7 and 13.7.
 */
import { unknownEndpoint } from '../../domain/accounts/endpoint.ts';
import type { EventKey } from '../../domain/ids.ts';
import { type ListedAccounts, type NewestQuery, readNewest } from '../../services/read-newest.ts';
import type { Services } from '../../services/services.ts';
import { listAllEndpoints, listEndpoints } from '../../store/accounts/endpoints.ts';
import {
  type EventCursor,
  type EventFilter,
  eventCursorOf,
  findEvent,
  findFilteredEvents,
  type ListedEvent,
  listAttempts,
  listEventAtEndpoints,
} from '../../store/events/event-lists.ts';

/** Behind `after`, the last event of the page before. A short page may have a next one: each looks at a limited number. */
export async function listEvents(
  { database }: Pick<Services, 'database'>,
  accounts: ListedAccounts,
  {
    filter,
    after,
    ...query
  }: Omit<NewestQuery, 'after'> & { filter: EventFilter; after: EventCursor | undefined },
) {
  const { endpointId } = filter;
  if (endpointId !== undefined) {
    const known =
      typeof accounts === 'string'
        ? await listEndpoints(database, accounts)
        : await listAllEndpoints(database);
    if (!known.some((one) => one.endpointId === endpointId)) throw unknownEndpoint(endpointId);
  }
  const page = { ...query, after: after && eventCursorOf(after) };
  return readNewest<ListedEvent>(database, accounts, page, {
    find: (from, accountId, range) => findFilteredEvents(from, accountId, { ...range, filter }),
    cursorOf: eventCursorOf,
  });
}

/** One event with its attempts. */
export async function showEvent({ database }: Pick<Services, 'database'>, name: EventKey) {
  const event = await findEvent(database, name);
  return event && { ...event, attempts: await listAttempts(database, name) };
}

export type AccountEvent = NonNullable<Awaited<ReturnType<typeof findAccountEvent>>>;

/** Also what became of it at each endpoint that wanted it and still exists. */
export async function findAccountEvent(services: Pick<Services, 'database'>, name: EventKey) {
  const event = await showEvent(services, name);
  if (!event) return undefined;
  const [states, known] = await Promise.all([
    listEventAtEndpoints(services.database, name),
    listEndpoints(services.database, name.accountId),
  ]);
  const urls = new Map(known.map(({ endpointId, url }) => [endpointId, url]));
  const endpoints = states.flatMap((state) => {
    const url = urls.get(state.endpointId);
    return url === undefined ? [] : [{ ...state, url }];
  });
  return { ...event, endpoints };
}
