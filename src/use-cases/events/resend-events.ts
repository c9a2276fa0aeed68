/** Makes events due again, whatever became of them: one, or all since a time. Contract 12.7. */
import { type Endpoint, isEnabled, unknownEndpoint } from '../../domain/accounts/endpoint.ts';
import { type Actor, auditEntry } from '../../domain/audit.ts';
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
  type ResentEvents,
} from '../../store/events/resent-events.ts';
import { recordAudit } from '../accounts/record-audit.ts';

/** To one endpoint, or to all that are enabled. A process of the service sends them within a second. */
export async function resendEvents(
  services: Pick<Services, 'database' | 'clock'>,
  range: ResendRange,
  endpointId: string | undefined,
  actor: Actor,
): Promise<ResentEvents> {
  const { database, clock } = services;
  const known =
    'event' in range
      ? await listEndpoints(database, range.event.accountId)
      : await listAllEndpoints(database);
  const named = known.filter(
    (entry) => endpointId === undefined || entry.endpointId === endpointId,
  );
  if (endpointId !== undefined && named.length === 0) throw unknownEndpoint(endpointId);
  const holders = 'event' in range ? await listEndpointIdsOf(database, range.event) : undefined;
  const chosen = named.filter((entry) => holders?.includes(entry.endpointId) ?? true);
  const enabled = chosen.filter(isEnabled);
  refuseDisabled(chosen);
  const now = clock();
  const times = { now, claimedUntil: addSeconds(now, eventLimits.eventClaimSeconds) };
  // Before the events, which several statements make due: what was begun must be in the log.
  await recordAudit(
    services,
    actor,
    enabled.map((entry) => ({
      accountId: entry.accountId,
      action: 'event.resent',
      object: 'event' in range ? eventIdOf(range.event) : entry.endpointId,
      details: 'event' in range ? { endpoint_id: entry.endpointId } : { since: range.since },
    })),
  );
  const resent: ResentEvents[] = [];
  for (const endpoint of enabled)
    resent.push(await makeEventsDue(database, endpoint, range, times));
  return {
    resent: resent.reduce((sum, entry) => sum + entry.resent, 0),
    pruned: resent.reduce((sum, entry) => sum + entry.pruned, 0),
  };
}

/** With a choice of several, those that are disabled are left out. */
function refuseDisabled(chosen: readonly Endpoint[]): void {
  const [first] = chosen;
  if (!first || chosen.some(isEnabled)) return;
  const { endpointId, disabledReason } = first;
  throw new ServiceError(
    'INVALID_REQUEST_PARAMETER',
    `Endpoint ${endpointId} is disabled (${disabledReason}): enable it first, on the dashboard or with "endpoint enable ${endpointId}".`,
  );
}

/** Makes the events of an account due again that were given up since a time, a limited number at once. Contract 13.7. */
type UndeliveredRange = {
  readonly accountId: string;
  /** All that are enabled, unless given. */
  readonly endpointId: string | undefined;
  readonly since: Date;
};

type ResentUndelivered = {
  readonly resent: number;
  /** There may be more: the limit was reached. */
  readonly isMore: boolean;
};

/** A repeat finds nothing to do, because what was resent is not given up any longer. */
export async function resendUndelivered(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  { accountId, endpointId, since }: UndeliveredRange,
): Promise<ResentUndelivered> {
  const chosen = (await listEndpoints(database, accountId)).filter(
    (entry) => endpointId === undefined || entry.endpointId === endpointId,
  );
  if (endpointId !== undefined && chosen.length === 0) throw unknownEndpoint(endpointId);
  refuseDisabled(chosen);
  const limit: number = eventLimits.eventsMadeDueMax;
  let [resent, isMore] = [0, false];
  for (const endpoint of chosen.filter(isEnabled)) {
    const now = clock();
    const { endpointId: object } = endpoint;
    const made = await database.transaction(async (tx) => {
      const events = await makeUndeliveredDue(tx, endpoint, { since, now, limit });
      const details = { since, events };
      const done = { accountId, action: 'event.resent', object, details } as const;
      if (events > 0) await appendAudit(tx, auditEntry(actor, now, done));
      return events;
    });
    resent += made;
    isMore ||= made === limit;
  }
  return { resent, isMore };
}
