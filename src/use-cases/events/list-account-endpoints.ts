/** Lists the endpoints of an account with what waits for each and what was given up. Contract 13.7. */

import type { Endpoint } from '../../domain/accounts/endpoint.ts';
import type { Services } from '../../services/services.ts';
import { listEndpoints } from '../../store/accounts/endpoints.ts';
import { type EndpointBacklog, listEndpointBacklogs } from '../../store/events/event-lists.ts';

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
