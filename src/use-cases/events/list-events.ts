/**
 * Lists events, those of the newest orders first, of one account or of several, and shows one. Contract 12.7 and 13.7.
 */
import { unknownEndpoint } from '../../domain/accounts/endpoint.ts';
import type { EventKey } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import {
  type ListedAccounts,
  type NewestPage,
  type NewestQuery,
  readNewest,
} from '../../services/read-newest.ts';
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
  type StoredAttempt,
  type StoredEvent,
} from '../../store/events/event-lists.ts';

type EventsQuery = Omit<NewestQuery, 'after'> & {
  readonly filter: EventFilter;
  /** The last event of the page before. */
  readonly after: EventCursor | undefined;
};

/** A page looks at a limited number of events, so it may be short and still have a next one. */
export async function listEvents(
  { database }: Pick<Services, 'database'>,
  accounts: ListedAccounts,
  { filter, after, ...query }: EventsQuery,
): Promise<NewestPage<ListedEvent>> {
  await refuseUnknownEndpoint(database, accounts, filter.endpointId);
  const cursor = after && eventCursorOf(after);
  return readNewest(
    database,
    accounts,
    { ...query, after: cursor },
    {
      find: (from, accountId, range) => findFilteredEvents(from, accountId, { ...range, filter }),
      cursorOf: eventCursorOf,
    },
  );
}

async function refuseUnknownEndpoint(
  database: Database,
  accounts: ListedAccounts,
  endpointId: string | undefined,
): Promise<void> {
  if (endpointId === undefined) return;
  const known =
    typeof accounts === 'string'
      ? await listEndpoints(database, accounts)
      : await listAllEndpoints(database);
  if (!known.some((one) => one.endpointId === endpointId)) throw unknownEndpoint(endpointId);
}

/** Shows one event with its attempts, and what became of it at each endpoint. Contract 12.7 and 13.7. */
type ShownEvent = StoredEvent & { readonly attempts: readonly StoredAttempt[] };

export async function showEvent(
  { database }: Pick<Services, 'database'>,
  name: EventKey,
): Promise<ShownEvent | undefined> {
  const event = await findEvent(database, name);
  return event && { ...event, attempts: await listAttempts(database, name) };
}

export type AccountEvent = ShownEvent & {
  /** What became of it at each endpoint that wanted it and still exists. */
  readonly endpoints: readonly (ListedEvent & { readonly url: string })[];
};

export async function findAccountEvent(
  needs: Pick<Services, 'database'>,
  name: EventKey,
): Promise<AccountEvent | undefined> {
  const event = await showEvent(needs, name);
  if (!event) return undefined;
  const [states, known] = await Promise.all([
    listEventAtEndpoints(needs.database, name),
    listEndpoints(needs.database, name.accountId),
  ]);
  const urls = new Map(known.map(({ endpointId, url }) => [endpointId, url]));
  const endpoints = states.flatMap((state) => {
    const url = urls.get(state.endpointId);
    return url === undefined ? [] : [{ ...state, url }];
  });
  return { ...event, endpoints };
}
