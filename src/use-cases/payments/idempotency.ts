/**
 * Requests with an Idempotency-Key: the first one takes the key in the same database transaction that stores what it
 * asks for, a repeat is answered with what the first one was answered. A refusal therefore leaves nothing under a key.
 * Contract 11.9.
 */
import { hash } from 'node:crypto';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { addSeconds, type Clock } from '../../domain/time.ts';
import type { Database, Queryable, Transaction } from '../../postgres/database.ts';
import type { Caller } from '../../security/tokens.ts';
import type { NeedsOf } from '../../services/needs.ts';
import {
  claimKey,
  type FirstRequest,
  findFirstRequest,
  type IdempotencyKey,
  saveAnswer,
} from '../../store/idempotency-keys.ts';
import { waitForFirst } from './wait-for-first.ts';

type Needs = NeedsOf<typeof waitForFirst> & {
  readonly database: Database;
  readonly clock: Clock;
};

/** A request under a key: both are known by their digests. */
export type KeyedRequest = IdempotencyKey & { readonly contentDigest: Buffer };

export type { FirstRequest };

/**
 * Keys of an order token belong to its order: a consumer can neither read nor block the answers of the merchant or of
 * other consumers. `content` is the request with its order resolved; absent fields do not count.
 */
export function keyedRequest(
  caller: Caller,
  operation: 'initiate-payment' | 'refund',
  key: string,
  content: object,
): KeyedRequest {
  return {
    accountId: caller.accountId,
    scope: caller.type === 'merchant' ? operation : `${operation} ${caller.orderId}`,
    keyDigest: hash('sha256', key, 'buffer'),
    contentDigest: hash('sha256', canonicalText(content), 'buffer'),
  };
}

/** Call it under the lock of the order and before anything is refused: a repeat is one whatever has changed since. */
export async function findFirst(
  tx: Transaction,
  services: Needs,
  request: KeyedRequest,
): Promise<FirstRequest | undefined> {
  const first = await findFirstRequest(tx, request, usedAfter(services));
  if (first && !first.contentDigest.equals(request.contentDigest)) {
    throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
  }
  return first;
}

/** Of two at once the order's lock lets one in, so a rival that has the key meanwhile is about another order. */
export async function takeFirst(
  tx: Transaction,
  services: Needs,
  request: KeyedRequest,
  made: { readonly orderId: string; readonly transactionId: string },
): Promise<void> {
  const { contentDigest } = request;
  const first = { ...made, contentDigest, createdAt: services.clock() };
  const isTaken = await claimKey(tx, request, first, usedAfter(services));
  if (!isTaken) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
}

export function saveFirstAnswer(
  database: Queryable,
  request: KeyedRequest,
  transactionId: string,
  answer: object,
): Promise<void> {
  return saveAnswer(database, request, transactionId, answer);
}

/** Undefined when the process that was to give it has ended: then there is only what it stored before. */
export async function findFirstAnswer<Answer>(
  services: Needs,
  request: KeyedRequest,
  { createdAt }: FirstRequest,
): Promise<Answer | undefined> {
  const answer = await waitForFirst(services, request.accountId, createdAt, async () => {
    const found = await findFirstRequest(services.database, request, usedAfter(services));
    return found?.answer ?? undefined;
  });
  return answer as Answer | undefined;
}

function usedAfter({ clock }: Needs): Date {
  return addSeconds(clock(), -limits.idempotencyKeySeconds);
}

/** Equal for equal content, whatever the order of the fields. */
function canonicalText(content: object): string {
  return JSON.stringify(content, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
