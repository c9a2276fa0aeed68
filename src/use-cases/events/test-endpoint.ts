/** Sends a test event to an endpoint at once. It is not stored and not repeated. Contract 12.2. */
import { liveSecrets } from '../../domain/accounts/account.ts';
import { unknownEndpoint } from '../../domain/accounts/endpoint.ts';
import type { Actor } from '../../domain/audit.ts';
import { findAccountIdOfEndpoint, newTestEventId } from '../../domain/ids.ts';
import { sealPayload } from '../../security/sealed-payload.ts';
import type { SentEvent } from '../../services/event-sender.ts';
import type { Services } from '../../services/services.ts';
import { recordAudit } from '../accounts/record-audit.ts';
import { isDelivered, sendSigned } from './attempt-event.ts';

type TestedEndpoint = SentEvent & {
  readonly eventId: string;
  readonly isDelivered: boolean;
};

/** A disabled endpoint can be tested before it is enabled again, and one that was just changed is tested as it is now. */
export async function testEndpoint(
  services: Pick<Services, 'database' | 'accounts' | 'sendEvent' | 'countTest' | 'clock'>,
  endpointId: string,
  actor: Actor,
): Promise<TestedEndpoint> {
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
    message: 'A test of this endpoint. It belongs to no order.',
    svc_order_id: null,
    svc_transaction_id: null,
    is_webhook: true,
    transaction: null,
    order: null,
    user: null,
  });
  const [secret = ''] = liveSecrets(account, 'access-secret', now);
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
  const tested = { accountId: account.accountId, action: 'endpoint.tested' } as const;
  await recordAudit(services, actor, [
    { ...tested, object: endpointId, details: { status: sent.status } },
  ]);
  return { ...sent, eventId, isDelivered: isDelivered(sent) };
}
