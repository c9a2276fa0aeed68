/** Sends a test event to an endpoint at once. It is not stored and not repeated. Contract 12.2. */
import { accessSecretOf } from '../../domain/accounts/account.ts';
import { unknownEndpoint } from '../../domain/accounts/endpoint.ts';
import type { Actor } from '../../domain/audit.ts';
import { findAccountIdOfEndpoint, newTestEventId } from '../../domain/ids.ts';
import { sealPayload } from '../../security/sealed-payload.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { isDelivered, sendSigned } from './attempt-event.ts';

/** A disabled endpoint can be tested before it is enabled again, and one that was just changed is tested as it is now. */
export async function testEndpoint(
  services: Pick<Services, 'database' | 'accounts' | 'sendEvent' | 'countTest' | 'clock'>,
  endpointId: string,
  actor: Actor,
) {
  const accountId = findAccountIdOfEndpoint(endpointId);
  const account = accountId === undefined ? undefined : await services.accounts.readNow(accountId);
  const endpoint = account?.endpoints.find((entry) => entry.endpointId === endpointId);
  if (!account || !endpoint) throw unknownEndpoint(endpointId);
  services.countTest(account.accountId);
  const now = services.clock();
  const eventId = newTestEventId(account.accountId, now);
  const text = JSON.stringify({
    version: 'v3',
    event_id: eventId,
    event_type: 'test',
    sequence: 0,
    occurred_at: now.toISOString(),
    status: 'test',
    event_status: 'pending',
    message: 'A test of this endpoint. It belongs to no order.',
    svc_order_id: null,
    svc_transaction_id: null,
    svc_signature: null,
    is_webhook: true,
    transaction: null,
    order: null,
    user: null,
  });
  const secret = accessSecretOf(account, now);
  const body = account.encryptedPayloads
    ? JSON.stringify({
        encrypted_response: sealPayload(text, secret),
        sub_merchant_id: account.accountId,
      })
    : text;
  const sent = await sendSigned(services, account, endpoint, {
    id: eventId,
    body: Buffer.from(body),
  });
  const details = { status: sent.status };
  const tested = { action: 'endpoint.tested', object: endpointId, details } as const;
  await services.database.transaction((tx) =>
    appendAudit(tx, actor, services.clock(), { ...tested, accountId: account.accountId }),
  );
  return { ...sent, eventId, isDelivered: isDelivered(sent) };
}
