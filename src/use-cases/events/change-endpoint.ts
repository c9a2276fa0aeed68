/** Changes an endpoint: its URL and types, its secret, whether it is enabled; or deletes it. Contract 12.1. */

import {
  checkEventTypes,
  type Endpoint,
  secretKindOf,
  unknownEndpoint,
} from '../../domain/accounts/endpoint.ts';
import type { Actor, AuditAction } from '../../domain/audit.ts';
import { eventLimits } from '../../domain/events/limits.ts';
import { findAccountIdOfEndpoint } from '../../domain/ids.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Transaction } from '../../postgres/database.ts';
import { newEndpointSecret } from '../../security/event-signature.ts';
import type { Services } from '../../services/services.ts';
import { deleteSecrets, endSecrets, insertSecret } from '../../store/accounts/account-secrets.ts';
import { lockAccount } from '../../store/accounts/accounts.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import {
  deleteEndpoint as deleteStored,
  disableEndpoint as disableStored,
  enableEndpoint as enableStored,
  updateEndpoint as updateStored,
} from '../../store/accounts/endpoints.ts';
import { disabledByOperator } from '../../store/events/event-counters.ts';
import { makeWaitingDue } from '../../store/events/event-deliveries.ts';
import { sealSecret } from '../accounts/create-account.ts';
import { checkUrl, originOf, type RequestedEndpoint } from './create-endpoint.ts';

/** Changes what is given, all of it or nothing. */
export async function updateEndpoint(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  endpointId: string,
  { isEnabled, ...requested }: Partial<RequestedEndpoint> & { readonly isEnabled?: boolean },
  actor: Actor,
): Promise<Endpoint> {
  const url =
    requested.url === undefined
      ? undefined
      : checkUrl(services.settings.endpointNetworks, requested.url);
  const events = requested.events && checkEventTypes(requested.events);
  const isOther = url !== undefined || events !== undefined;
  const actions: AuditAction[] = [];
  if (isOther) actions.push('endpoint.updated');
  if (isEnabled !== undefined) actions.push(isEnabled ? 'endpoint.enabled' : 'endpoint.disabled');
  const changed = await change(services, endpointId, { actor, actions }, async (tx, endpoint) => {
    const after = { ...endpoint, url: url ?? endpoint.url, events: events ?? endpoint.events };
    if (isOther) await updateStored(tx, after, services.clock());
    return isEnabled === undefined ? after : switchEndpoint(tx, services, after, isEnabled);
  });
  if (isEnabled) await sendWaiting(services, changed);
  return changed;
}

/** What waits for a later attempt is sent now. */
export function enableEndpoint(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  endpointId: string,
  actor: Actor,
): Promise<Endpoint> {
  return updateEndpoint(services, endpointId, { isEnabled: true }, actor);
}

/** Its waiting events stay, and are sent when it is enabled again. */
export function disableEndpoint(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  endpointId: string,
  actor: Actor,
): Promise<Endpoint> {
  return updateEndpoint(services, endpointId, { isEnabled: false }, actor);
}

async function switchEndpoint(
  tx: Transaction,
  { clock }: Pick<Services, 'clock'>,
  endpoint: Endpoint,
  isEnabled: boolean,
): Promise<Endpoint> {
  if (isEnabled) {
    await enableStored(tx, endpoint, clock());
    return { ...endpoint, disabledReason: null };
  }
  await disableStored(tx, endpoint, disabledByOperator);
  return { ...endpoint, disabledReason: endpoint.disabledReason ?? disabledByOperator };
}

/**
 * After days there may be millions, too many for one statement and for one call. Those beyond the limit are sent when
 * their next attempt is due, within a day or so.
 */
async function sendWaiting(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  endpoint: Endpoint,
): Promise<void> {
  const limit: number = eventLimits.eventsMadeDueMax;
  for (let rounds = 0; rounds < eventLimits.eventRoundsMadeDueMax; rounds += 1) {
    const now = clock();
    const claimedUntil = addSeconds(now, eventLimits.eventClaimSeconds);
    const made = await makeWaitingDue(database, endpoint, { now, claimedUntil, limit });
    if (made < limit) return;
  }
}

export async function deleteEndpoint(
  services: Pick<Services, 'database' | 'clock'>,
  endpointId: string,
  actor: Actor,
): Promise<Endpoint> {
  return change(
    services,
    endpointId,
    { actor, actions: ['endpoint.deleted'] },
    async (tx, endpoint) => {
      await deleteStored(tx, endpoint);
      await deleteSecrets(tx, endpoint.accountId, secretKindOf(endpoint));
      return endpoint;
    },
  );
}

/** During the overlap, events are signed with both secrets. */
export async function rotateEndpoint(
  services: Pick<Services, 'database' | 'masterKeys' | 'clock'>,
  endpointId: string,
  overlapSeconds: number,
  actor: Actor,
) {
  const secret = newEndpointSecret();
  const now = services.clock();
  const oldValidUntil = addSeconds(now, overlapSeconds);
  const endpoint = await change(
    services,
    endpointId,
    { actor, actions: ['endpoint.rotated'] },
    async (tx, found) => {
      const { accountId } = found;
      const kind = secretKindOf(found);
      await endSecrets(tx, accountId, kind, oldValidUntil);
      await insertSecret(tx, accountId, sealSecret(services, accountId, kind, secret), now);
      return found;
    },
  );
  return { endpoint, secret, oldValidUntil };
}

async function change(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  endpointId: string,
  { actor, actions }: { readonly actor: Actor; readonly actions: readonly AuditAction[] },
  save: (tx: Transaction, endpoint: Endpoint) => Promise<Endpoint>,
): Promise<Endpoint> {
  const accountId = findAccountIdOfEndpoint(endpointId);
  if (accountId === undefined) throw unknownEndpoint(endpointId);
  return database.transaction(async (tx) => {
    const account = await lockAccount(tx, accountId);
    const endpoint = account?.endpoints.find((entry) => entry.endpointId === endpointId);
    if (!endpoint) throw unknownEndpoint(endpointId);
    const saved = await save(tx, endpoint);
    const details = originOf(saved.url);
    const done = actions.map((action) => ({ accountId, action, object: endpointId, details }));
    await appendAudit(tx, actor, clock(), ...done);
    return saved;
  });
}
