/** Changes an endpoint: its URL and types, its secret, whether it is enabled; or deletes it. Contract 12.1. */

import {
  checkEventTypes,
  type Endpoint,
  secretKindOf,
  unknownEndpoint,
} from '../../domain/accounts/endpoint.ts';
import { type Actor, type AuditAction, auditEntry } from '../../domain/audit.ts';
import { findAccountIdOfEndpoint } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { addSeconds, type Clock } from '../../domain/time.ts';
import type { Database, Transaction } from '../../postgres/database.ts';
import { newEndpointSecret } from '../../security/event-signature.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { deleteSecrets, endSecrets, insertSecret } from '../../store/account-secrets.ts';
import { lockAccount } from '../../store/accounts.ts';
import { appendAudit } from '../../store/audit.ts';
import {
  deleteEndpoint as deleteStored,
  disableEndpoint as disableStored,
  enableEndpoint as enableStored,
  updateEndpoint as updateStored,
} from '../../store/endpoints.ts';
import { disabledByOperator } from '../../store/event-counters.ts';
import { makeWaitingDue } from '../../store/event-deliveries.ts';
import { sealSecret } from '../accounts/create-account.ts';
import { checkUrl, originOf, type RequestedEndpoint } from './create-endpoint.ts';

type Needs = NeedsOf<typeof sealSecret> &
  NeedsOf<typeof checkUrl> & { readonly database: Database; readonly clock: Clock };

export async function updateEndpoint(
  services: Needs,
  endpointId: string,
  requested: Partial<RequestedEndpoint>,
  actor: Actor,
): Promise<Endpoint> {
  const url = requested.url === undefined ? undefined : checkUrl(services, requested.url);
  const events = requested.events && checkEventTypes(requested.events);
  return change(
    services,
    endpointId,
    { actor, action: 'endpoint.updated' },
    async (tx, endpoint) => {
      const changed = { ...endpoint, url: url ?? endpoint.url, events: events ?? endpoint.events };
      await updateStored(tx, changed, services.clock());
      return changed;
    },
  );
}

/** What waits for a later attempt is sent now. */
export async function enableEndpoint(
  services: Needs,
  endpointId: string,
  actor: Actor,
): Promise<Endpoint> {
  const { database, clock } = services;
  const enabled = await change(
    services,
    endpointId,
    { actor, action: 'endpoint.enabled' },
    async (tx, endpoint) => {
      await enableStored(tx, endpoint, clock());
      return { ...endpoint, disabledReason: null };
    },
  );
  // After days there may be millions, too many for one statement.
  const limit: number = limits.eventsMadeDueMax;
  for (let made = limit; made === limit; ) {
    const now = clock();
    const claimedUntil = addSeconds(now, limits.eventClaimSeconds);
    made = await makeWaitingDue(database, enabled, { now, claimedUntil, limit });
  }
  return enabled;
}

/** Its waiting events stay, and are sent when it is enabled again. */
export async function disableEndpoint(
  services: Needs,
  endpointId: string,
  actor: Actor,
): Promise<Endpoint> {
  return change(
    services,
    endpointId,
    { actor, action: 'endpoint.disabled' },
    async (tx, endpoint) => {
      await disableStored(tx, endpoint, disabledByOperator);
      return { ...endpoint, disabledReason: endpoint.disabledReason ?? disabledByOperator };
    },
  );
}

export async function deleteEndpoint(
  services: Needs,
  endpointId: string,
  actor: Actor,
): Promise<Endpoint> {
  return change(
    services,
    endpointId,
    { actor, action: 'endpoint.deleted' },
    async (tx, endpoint) => {
      await deleteStored(tx, endpoint);
      await deleteSecrets(tx, endpoint.accountId, secretKindOf(endpoint));
      return endpoint;
    },
  );
}

export type RotatedEndpoint = {
  readonly endpoint: Endpoint;
  readonly secret: string;
  readonly oldValidUntil: Date;
};

/** During the overlap, events are signed with both secrets. */
export async function rotateEndpoint(
  services: Needs,
  endpointId: string,
  overlapSeconds: number,
  actor: Actor,
): Promise<RotatedEndpoint> {
  const secret = newEndpointSecret();
  const now = services.clock();
  const oldValidUntil = addSeconds(now, overlapSeconds);
  const endpoint = await change(
    services,
    endpointId,
    { actor, action: 'endpoint.rotated' },
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
  { database, clock }: Needs,
  endpointId: string,
  { actor, action }: { readonly actor: Actor; readonly action: AuditAction },
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
    await appendAudit(
      tx,
      auditEntry(actor, clock(), { accountId, action, object: endpointId, details }),
    );
    return saved;
  });
}
