/** One attempt to send an event to an endpoint, and what follows from its outcome. Contract 12.4 and 12.5. */
import { type Account, liveSecrets } from '../../domain/accounts/account.ts';
import { type Endpoint, secretKindOf } from '../../domain/accounts/endpoint.ts';
import { nextAttemptAt, readRetryAfter } from '../../domain/events/attempt-schedule.ts';
import { eventIdOf } from '../../domain/ids.ts';
import { signEvent } from '../../security/event-signature.ts';
import type { SentEvent } from '../../services/event-sender.ts';
import type { Services } from '../../services/services.ts';
import type { AttemptResult, ClaimedEvent } from '../../store/events/event-deliveries.ts';

/** The result is not saved here. */
export async function attemptEvent(
  services: Pick<Services, 'sendEvent' | 'counters' | 'clock'>,
  account: Account,
  endpoint: Endpoint,
  claimed: ClaimedEvent,
): Promise<AttemptResult> {
  const { body, failures: failuresBefore, ...key } = claimed;
  const attemptedAt = services.clock();
  const signed = { id: eventIdOf(key), body };
  const { retryAfter, ...sent } = await sendSigned(services, account, endpoint, signed);
  const made = { ...key, attemptedAt, ...sent };
  if (isDelivered(sent)) {
    services.counters.noteAttempt('delivered');
    return { ...made, state: 'delivered', failures: 0, nextAttemptAt: null };
  }
  services.counters.noteAttempt(sent.status === null ? 'unreachable' : 'refused');
  const failures = failuresBefore + 1;
  if (isGone(sent)) return { ...made, state: 'undelivered', failures, nextAttemptAt: null };
  const now = services.clock();
  const retryAfterSeconds = readRetryAfter(retryAfter, now);
  const nextAt = nextAttemptAt(failures, now, { random: Math.random(), retryAfterSeconds });
  const state = nextAt === null ? 'undelivered' : 'pending';
  return { ...made, state, failures, nextAttemptAt: nextAt };
}

/** Signed with every live secret, so that a rotation breaks no receiver. */
export function sendSigned(
  { sendEvent, clock }: Pick<Services, 'sendEvent' | 'clock'>,
  account: Account,
  endpoint: Endpoint,
  { id, body }: { readonly id: string; readonly body: Buffer },
): Promise<SentEvent> {
  const now = clock();
  const timestamp = Math.floor(now.getTime() / 1_000);
  const secrets = liveSecrets(account, secretKindOf(endpoint), now);
  return sendEvent({
    url: endpoint.url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'payment-order-service',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signEvent({ eventId: id, timestamp, body }, secrets),
    },
  });
}

export function isDelivered({ status }: Pick<SentEvent, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

export function isGone({ status }: Pick<SentEvent, 'status'>): boolean {
  return status === 410;
}
