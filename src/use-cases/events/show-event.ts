/** Shows one event with its attempts, and what became of it at each endpoint. Contract 12.7 and 13.7. */

import type { EventKey } from '../../domain/ids.ts';
import type { Services } from '../../services/services.ts';
import { listEndpoints } from '../../store/accounts/endpoints.ts';
import {
  findEvent,
  type ListedEvent,
  listAttempts,
  listEventAtEndpoints,
  type StoredAttempt,
  type StoredEvent,
} from '../../store/events/event-lists.ts';

export type ShownEvent = StoredEvent & { readonly attempts: readonly StoredAttempt[] };

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
