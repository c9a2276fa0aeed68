/** The endpoints of an account: adds, changes, rotates, deletes and lists them. Contract 12.1 and 13.7. */
import {
  checkEndpointUrl,
  checkEventTypes,
  type Endpoint,
  secretKindOf,
  unknownEndpoint,
} from '../../domain/accounts/endpoint.ts';
import type { Actor, AuditAction } from '../../domain/audit.ts';
import { refuseField } from '../../domain/errors.ts';
import { eventLimits } from '../../domain/events/limits.ts';
import { findAccountIdOfEndpoint, newEndpointId } from '../../domain/ids.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Transaction } from '../../postgres/database.ts';
import { type AllowedNetworks, checkEndpointHost } from '../../security/endpoint-address.ts';
import { newEndpointSecret } from '../../security/event-signature.ts';
import type { Services } from '../../services/services.ts';
import { deleteSecrets, endSecrets, insertSecret } from '../../store/accounts/account-secrets.ts';
import { lockAccount } from '../../store/accounts/accounts.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import {
  deleteEndpoint as deleteStored,
  disableEndpoint as disableStored,
  enableEndpoint as enableStored,
  insertEndpoint,
  listEndpoints,
  updateEndpoint as updateStored,
} from '../../store/accounts/endpoints.ts';
import { disabledByOperator } from '../../store/events/event-counters.ts';
import { makeWaitingDue } from '../../store/events/event-deliveries.ts';
import { listEndpointBacklogs } from '../../store/events/event-lists.ts';
import { sealSecret } from '../accounts/create-account.ts';
import { unknownAccount } from '../accounts/rotate-secret.ts';

type RequestedEndpoint = { readonly url: string; readonly events: readonly string[] };

export type NewEndpoint = Awaited<ReturnType<typeof createEndpoint>>;

/** A process may use the account as it was for `secretsCacheMsMax`; whoever must not miss an event waits as long. */
export async function createEndpoint(
  services: Pick<Services, 'database' | 'masterKeys' | 'clock' | 'settings'>,
  accountId: string,
  requested: RequestedEndpoint,
  actor: Actor,
) {
  const url = checkUrl(services.settings.endpointNetworks, requested.url);
  const events = checkEventTypes(requested.events);
  const createdAt = services.clock();
  const endpointId = newEndpointId(accountId);
  const endpoint = { accountId, endpointId, url, events, createdAt, disabledReason: null };
  const secret = newEndpointSecret();
  await services.database.transaction(async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (!account) throw unknownAccount(accountId);
    const { endpointsMax } = eventLimits;
    if (account.endpoints.length >= endpointsMax) {
      refuseField(
        'account',
        `has ${endpointsMax} endpoints, and that is the limit: delete one first`,
      );
    }
    await insertEndpoint(tx, endpoint);
    const sealed = sealSecret(services, accountId, secretKindOf(endpoint), secret);
    await insertSecret(tx, accountId, sealed, createdAt);
    const created = { accountId, action: 'endpoint.created', object: endpointId } as const;
    await appendAudit(tx, actor, createdAt, { ...created, details: originOf(url) });
  });
  return { ...endpoint, secret };
}

/** The URL in the spelling of the parser: it is what is connected to. */
export function checkUrl(allowed: AllowedNetworks, text: string): string {
  const url = checkEndpointUrl(text);
  const problem = checkEndpointHost(url, allowed);
  if (problem !== undefined) refuseField('url', problem);
  return url.href;
}

/** For the audit log. Paths and queries of such URLs may contain a key of the shop. */
function originOf(url: string): { readonly origin: string } {
  return { origin: new URL(url).origin };
}

/** Changes what is given, all of it or nothing. */
export async function updateEndpoint(
  services: Pick<Services, 'database' | 'clock' | 'settings'>,
  endpointId: string,
  { isEnabled, ...requested }: Partial<RequestedEndpoint> & { readonly isEnabled?: boolean },
  actor: Actor,
): Promise<Endpoint> {
  const { endpointNetworks } = services.settings;
  const url = requested.url === undefined ? undefined : checkUrl(endpointNetworks, requested.url);
  const events = requested.events && checkEventTypes(requested.events);
  const isOther = url !== undefined || events !== undefined;
  const actions: AuditAction[] = [];
  if (isOther) actions.push('endpoint.updated');
  if (isEnabled !== undefined) actions.push(isEnabled ? 'endpoint.enabled' : 'endpoint.disabled');
  const changed = await change(services, endpointId, actor, actions, async (tx, endpoint) => {
    const after = { ...endpoint, url: url ?? endpoint.url, events: events ?? endpoint.events };
    if (isOther) await updateStored(tx, after, services.clock());
    if (isEnabled === undefined) return after;
    if (isEnabled) {
      await enableStored(tx, after, services.clock());
      return { ...after, disabledReason: null };
    }
    await disableStored(tx, after, disabledByOperator);
    return { ...after, disabledReason: after.disabledReason ?? disabledByOperator };
  });
  if (isEnabled) await sendWaiting(services, changed);
  return changed;
}

/** What waits for a later attempt is sent now. */
export const enableEndpoint = switchTo({ isEnabled: true });

/** Its waiting events stay, and are sent when it is enabled again. */
export const disableEndpoint = switchTo({ isEnabled: false });

function switchTo(requested: { readonly isEnabled: boolean }) {
  return (
    services: Pick<Services, 'database' | 'clock' | 'settings'>,
    endpointId: string,
    actor: Actor,
  ) => updateEndpoint(services, endpointId, requested, actor);
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
  return change(services, endpointId, actor, ['endpoint.deleted'], async (tx, endpoint) => {
    await deleteStored(tx, endpoint);
    await deleteSecrets(tx, endpoint.accountId, secretKindOf(endpoint));
    return endpoint;
  });
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
  const actions = ['endpoint.rotated'] as const;
  const endpoint = await change(services, endpointId, actor, actions, async (tx, found) => {
    const { accountId } = found;
    const kind = secretKindOf(found);
    await endSecrets(tx, accountId, kind, oldValidUntil);
    await insertSecret(tx, accountId, sealSecret(services, accountId, kind, secret), now);
    return found;
  });
  return { endpoint, secret, oldValidUntil };
}

async function change(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  endpointId: string,
  actor: Actor,
  actions: readonly AuditAction[],
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
    await appendAudit(tx, actor, clock(), done);
    return saved;
  });
}

export type AccountEndpoint = Awaited<ReturnType<typeof listAccountEndpoints>>[number];

/** Oldest first. What waits and what was given up is counted up to `max`. */
export async function listAccountEndpoints(
  { database }: Pick<Services, 'database'>,
  accountId: string,
  max: number,
) {
  const [endpoints, backlogs] = await Promise.all([
    listEndpoints(database, accountId),
    listEndpointBacklogs(database, accountId, max),
  ]);
  const byId = new Map(backlogs.map((backlog) => [backlog.endpointId, backlog]));
  const none = { failingSince: null, pending: 0, undelivered: 0 };
  return endpoints.map((endpoint) => ({ ...none, ...byId.get(endpoint.endpointId), ...endpoint }));
}
