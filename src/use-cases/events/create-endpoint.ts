/** Adds an endpoint to an account, with a secret that the operator sees only now. Contract 12.1. */

import {
  checkEndpointUrl,
  checkEventTypes,
  type Endpoint,
  secretKindOf,
} from '../../domain/accounts/endpoint.ts';
import type { Actor } from '../../domain/audit.ts';
import { refuseField } from '../../domain/errors.ts';
import { eventLimits } from '../../domain/events/limits.ts';
import { newEndpointId } from '../../domain/ids.ts';
import { type AllowedNetworks, checkEndpointHost } from '../../security/endpoint-address.ts';
import { newEndpointSecret } from '../../security/event-signature.ts';
import type { Services } from '../../services/services.ts';
import { insertSecret } from '../../store/accounts/account-secrets.ts';
import { lockAccount } from '../../store/accounts/accounts.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { insertEndpoint } from '../../store/accounts/endpoints.ts';
import { sealSecret } from '../accounts/create-account.ts';
import { unknownAccount } from '../accounts/rotate-secret.ts';

export type RequestedEndpoint = { readonly url: string; readonly events: readonly string[] };

export type NewEndpoint = Endpoint & { readonly secret: string };

/** A process may use the account as it was for `secretsCacheMsMax`; whoever must not miss an event waits as long. */
export async function createEndpoint(
  services: Pick<Services, 'database' | 'masterKeys' | 'clock' | 'settings'>,
  accountId: string,
  requested: RequestedEndpoint,
  actor: Actor,
): Promise<NewEndpoint> {
  const url = checkUrl(services.settings.endpointNetworks, requested.url);
  const events = checkEventTypes(requested.events);
  const createdAt = services.clock();
  const endpointId = newEndpointId(accountId);
  const endpoint = { accountId, endpointId, url, events, createdAt, disabledReason: null };
  const secret = newEndpointSecret();
  await services.database.transaction(async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (!account) throw unknownAccount(accountId);
    if (account.endpoints.length >= eventLimits.endpointsMax) {
      refuseField(
        'account',
        `has ${eventLimits.endpointsMax} endpoints, and that is the limit: delete one first`,
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
export function originOf(url: string): { readonly origin: string } {
  return { origin: new URL(url).origin };
}
