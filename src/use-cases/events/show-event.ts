/** Shows one event with its attempts, and what became of it at each endpoint. Contract 12.7 and 13.7. */
import type { EventName } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import { listEndpoints } from '../../store/accounts/endpoints.ts';
import {
  findEvent,
  type ListedEvent,
  listAttempts,
  listEventAtEndpoints,
  type StoredAttempt,
  type StoredEvent,
} from '../../store/events/event-lists.ts';

type Needs = { readonly database: Database };

export type ShownEvent = StoredEvent & { readonly attempts: readonly StoredAttempt[] };

export async function showEvent(
  { database }: Needs,
  name: EventName,
): Promise<ShownEvent | undefined> {
  const event = await findEvent(database, name);
  return event && { ...event, attempts: await listAttempts(database, name) };
}

export type AccountEvent = ShownEvent & {
  /** What became of it at each endpoint that wanted it and still exists. */
  readonly endpoints: readonly (ListedEvent & { readonly url: string })[];
};

export async function findAccountEvent(
  needs: Needs,
  name: EventName,
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
