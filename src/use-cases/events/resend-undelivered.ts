/** Makes the events of an account due again that were given up since a time, a limited number at once. Contract 13.7. */
import { isEnabled, unknownEndpoint } from '../../domain/accounts/endpoint.ts';
import { type Actor, auditEntry } from '../../domain/audit.ts';
import { eventLimits } from '../../domain/events/limits.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { listEndpoints } from '../../store/accounts/endpoints.ts';
import { makeUndeliveredDue } from '../../store/events/resent-events.ts';
import { refuseDisabled } from './resend-events.ts';

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
