/** Lists the events and the endpoints of one account for its dashboard, and shows one event. Contract 13.7. */
import { type Endpoint, unknownEndpoint } from '../../domain/accounts/endpoint.ts';
import type { EventKey } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import { type NewestPage, readNewest } from '../../services/read-newest.ts';
import type { Services } from '../../services/services.ts';
import { listEndpoints } from '../../store/accounts/endpoints.ts';
import { type EventState, eventKeyOf, type ListedEvent } from '../../store/events/event-lists.ts';
import {
  countEventsOfState,
  type EndpointBacklog,
  type EventCursor,
  listEndpointBacklogs,
  listEventAtEndpoints,
  listEventsBefore,
  listEventsOfState,
  type RareState,
} from '../../store/events/event-pages.ts';
import { type ShownEvent, showEvent } from './list-events.ts';

export type AccountEventsQuery = {
  readonly orderId: string | undefined;
  readonly state: EventState | undefined;
  readonly endpointId: string | undefined;
  /** The last event of the page before. */
  readonly after: EventCursor | undefined;
  readonly limit: number;
};

/** Up to this many are sorted for each page. If more wait or were given up, they are found by looking at all events. */
const sortedMax = 10_000;

/** Newest orders first. A page looks at a limited number of events, so it may be short and still have a next one. */
export async function listAccountEvents(
  { database }: Pick<Services, 'database'>,
  accountId: string,
  query: AccountEventsQuery,
): Promise<NewestPage<ListedEvent>> {
  const { orderId, state, endpointId, after, limit } = query;
  const endpointIds = (await listEndpoints(database, accountId))
    .map((endpoint) => endpoint.endpointId)
    .filter((id) => endpointId === undefined || id === endpointId);
  if (endpointId !== undefined && endpointIds.length === 0) throw unknownEndpoint(endpointId);
  if (orderId === undefined && (state === 'pending' || state === 'undelivered')) {
    const rare = { state, endpointIds, max: sortedMax };
    const page = await findSortedPage(database, accountId, rare, { before: after, limit });
    if (page) return page;
  }
  let cursor = after;
  const scope = { accountIds: [accountId], isByTime: true };
  const list = {
    keyOf: eventKeyOf,
    listHighest: async () => [],
    read: async (_: string, range: { readonly limit: number }) => {
      const rows = await listEventsBefore(database, accountId, {
        ...{ orderId, before: cursor, limit: range.limit },
      });
      cursor = rows.at(-1);
      return rows;
    },
    isWanted: (event: ListedEvent) =>
      endpointIds.includes(event.endpointId) && (state === undefined || event.state === state),
  };
  return readNewest<ListedEvent>(scope, list, { after: undefined, limit });
}

async function findSortedPage(
  database: Database,
  accountId: string,
  rare: {
    readonly state: RareState;
    readonly endpointIds: readonly string[];
    readonly max: number;
  },
  { before, limit }: { readonly before: EventCursor | undefined; readonly limit: number },
): Promise<NewestPage<ListedEvent> | undefined> {
  const count = await countEventsOfState(database, accountId, { ...rare, max: rare.max + 1 });
  if (count > rare.max) return undefined;
  const found = await listEventsOfState(database, accountId, rare, { before, limit: limit + 1 });
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? rows.at(-1) : undefined };
}

export type AccountEvent = ShownEvent & {
  /** What became of it at each endpoint that wanted it and still exists. */
  readonly endpoints: readonly (ListedEvent & { readonly url: string })[];
};

export async function findAccountEvent(
  services: Pick<Services, 'database'>,
  key: EventKey,
): Promise<AccountEvent | undefined> {
  const event = await showEvent(services, key);
  if (!event) return undefined;
  const [states, known] = await Promise.all([
    listEventAtEndpoints(services.database, key),
    listEndpoints(services.database, key.accountId),
  ]);
  const urls = new Map(known.map(({ endpointId, url }) => [endpointId, url]));
  const endpoints = states.flatMap((state) => {
    const url = urls.get(state.endpointId);
    return url === undefined ? [] : [{ ...state, url }];
  });
  return { ...event, endpoints };
}

export type AccountEndpoint = Endpoint &
  Pick<EndpointBacklog, 'failingSince' | 'pending' | 'undelivered'>;

/** Oldest first. What waits and what was given up is counted up to `max`. */
export async function listAccountEndpoints(
  { database }: Pick<Services, 'database'>,
  accountId: string,
  max: number,
): Promise<AccountEndpoint[]> {
  const [endpoints, backlogs] = await Promise.all([
    listEndpoints(database, accountId),
    listEndpointBacklogs(database, accountId, max),
  ]);
  const byId = new Map(backlogs.map((backlog) => [backlog.endpointId, backlog]));
  const none = { failingSince: null, pending: 0, undelivered: 0 };
  return endpoints.map((endpoint) => ({ ...none, ...byId.get(endpoint.endpointId), ...endpoint }));
}
