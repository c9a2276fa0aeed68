/** Makes events due again, whatever became of them: one, or all since a time. Contract 12.7. */
import { type Endpoint, isEnabled, unknownEndpoint } from '../../domain/accounts/endpoint.ts';
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { eventLimits } from '../../domain/events/limits.ts';
import { eventIdOf } from '../../domain/ids.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { listAllEndpoints, listEndpoints } from '../../store/accounts/endpoints.ts';
import {
  listEndpointIdsOf,
  makeEventsDue,
  makeUndeliveredDue,
  type ResendRange,
} from '../../store/events/event-deliveries.ts';

/** To one endpoint, or to all that are enabled. A process of the service sends them within a second. */
export async function resendEvents(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  range: ResendRange,
  endpointId: string | undefined,
  actor: Actor,
) {
  const event = 'event' in range ? range.event : undefined;
  const known = event
    ? await listEndpoints(database, event.accountId)
    : await listAllEndpoints(database);
  const named = chooseEndpoints(known, endpointId);
  const holders = event && (await listEndpointIdsOf(database, event));
  const chosen = named.filter((entry) => holders?.includes(entry.endpointId) ?? true);
  const enabled = chooseEnabled(chosen);
  const now = clock();
  const times = { now, claimedUntil: addSeconds(now, eventLimits.eventClaimSeconds) };
  // Before the events, which several statements make due: what was begun must be in the log.
  const done = enabled.map(({ accountId, endpointId: id }) => ({
    accountId,
    action: 'event.resent' as const,
    object: 'event' in range ? eventIdOf(range.event) : id,
    details: 'event' in range ? { endpoint_id: id } : { since: range.since },
  }));
  await database.transaction((tx) => appendAudit(tx, actor, now, done));
  let [resent, pruned] = [0, 0];
  for (const endpoint of enabled) {
    const made = await makeEventsDue(database, endpoint, range, times);
    resent += made.resent;
    pruned += made.pruned;
  }
  return { resent, pruned };
}

/** One of them, or all. */
function chooseEndpoints(known: readonly Endpoint[], endpointId: string | undefined) {
  if (endpointId === undefined) return known;
  const named = known.filter((entry) => entry.endpointId === endpointId);
  if (named.length === 0) throw unknownEndpoint(endpointId);
  return named;
}

/** Of several, those that are disabled are left out. */
function chooseEnabled(chosen: readonly Endpoint[]) {
  const [first] = chosen;
  const enabled = chosen.filter(isEnabled);
  if (!first || enabled.length > 0) return enabled;
  const { endpointId, disabledReason } = first;
  throw new ServiceError(
    'INVALID_REQUEST_PARAMETER',
    `Endpoint ${endpointId} is disabled (${disabledReason}): enable it first, on the dashboard or with "endpoint enable ${endpointId}".`,
  );
}

/**
 * Makes the events of an account due again that were given up since a time, a limited number at once: there may be more.
 * A repeat finds nothing to do, because what was resent is not given up any longer. Contract 13.7.
 */
export async function resendUndelivered(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  {
    accountId,
    endpointId,
    since,
  }: { accountId: string; endpointId?: string | undefined; since: Date },
) {
  const chosen = chooseEndpoints(await listEndpoints(database, accountId), endpointId);
  const limit: number = eventLimits.eventsMadeDueMax;
  let [resent, isMore] = [0, false];
  for (const endpoint of chooseEnabled(chosen)) {
    const now = clock();
    const { endpointId: object } = endpoint;
    const made = await database.transaction(async (tx) => {
      const events = await makeUndeliveredDue(tx, endpoint, { since, now, limit });
      const details = { since, events };
      const done = { accountId, action: 'event.resent', object, details } as const;
      if (events > 0) await appendAudit(tx, actor, now, done);
      return events;
    });
    resent += made;
    isMore ||= made === limit;
  }
  return { resent, isMore };
}
