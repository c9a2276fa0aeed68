/**
 * Requests with an Idempotency-Key. The first request claims the key in the transaction that stores its payment or
 * refund, so a refused request claims no key. A repeat gets the answer of the first request. Contract 11.9.
 */
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { findExponent } from '../../domain/money/currency.ts';
import { parseSentAmount, type SentAmount } from '../../domain/money/money.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import {
  claimKey,
  type FirstRequest,
  findFirstRequest,
  type IdempotencyKey,
} from '../../store/payments/idempotency-keys.ts';

/** A request with its idempotency key. Only digests of the key and of the content are stored. */
export type KeyedRequest = IdempotencyKey & { readonly contentDigest: Buffer };

/**
 * Keys sent with an order token are scoped to its order, so that a consumer can neither read nor block the answers of
 * the merchant or of other consumers. `content` is the request with its order id; absent fields are ignored. Undefined
 * without a key.
 */
export function keyedRequest(
  caller: Caller,
  operation: 'initiate-payment' | 'refund' | 'capture' | 'void',
  key: string | undefined,
  content: object,
): KeyedRequest | undefined {
  if (key === undefined) return undefined;
  return {
    accountId: caller.accountId,
    scope: caller.type === 'merchant' ? operation : `${operation} ${caller.orderId}`,
    keyDigest: hash('sha256', key, 'buffer'),
    contentDigest: hash('sha256', canonicalText(content), 'buffer'),
  };
}

/**
 * The amount in minor units, so that `"10.50"` and `10.5` are the same content; an amount that cannot be parsed stays as
 * sent.
 */
export function comparableAmount(sent: SentAmount | undefined, currency: string) {
  if (sent === undefined) return undefined;
  const exponent = findExponent(currency);
  const outcome = exponent === undefined ? undefined : parseSentAmount(sent, exponent);
  return outcome?.kind === 'amount' ? outcome.minor : JSON.stringify(sent);
}

/** The idempotency key was used before, with the same content. */
export type AnsweredRequest = {
  readonly kind: 'answered';
  readonly keyed: KeyedRequest;
  readonly first: FirstRequest;
};

/** Call it under the order's lock and before any check: a repeat gets its answer whatever has changed since. */
export async function findAnswered(
  tx: Transaction,
  services: Pick<Services, 'clock'>,
  keyed: KeyedRequest | undefined,
): Promise<AnsweredRequest | undefined> {
  const first = keyed && (await findFirstRequest(tx, keyed, usedAfter(services)));
  if (!first) return undefined;
  if (!first.contentDigest.equals(keyed.contentDigest)) {
    throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
  }
  return { kind: 'answered', keyed, first };
}

/** Requests for one order are serialised by its lock, so a key that is claimed by now belongs to another order. */
export async function claimFirst(
  tx: Transaction,
  services: Pick<Services, 'clock'>,
  request: KeyedRequest | undefined,
  stored: { readonly orderId: string; readonly transactionId: string },
): Promise<void> {
  if (!request) return;
  const { contentDigest } = request;
  const first = { ...stored, contentDigest, createdAt: services.clock() };
  const isClaimed = await claimKey(tx, request, first, usedAfter(services));
  if (!isClaimed) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
}

/** Undefined if the process of the first request ended before it saved an answer. */
export async function findFirstAnswer<Answer>(
  services: Pick<Services, 'database' | 'waitingRepeats' | 'clock'>,
  { keyed, first }: AnsweredRequest,
): Promise<Answer | undefined> {
  return waitForFirst(services, keyed.accountId, first.createdAt, async () => {
    const found = await findFirstRequest(services.database, keyed, usedAfter(services));
    return (found?.answer ?? undefined) as Answer | undefined;
  });
}

function usedAfter({ clock }: Pick<Services, 'clock'>): Date {
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

/** A reply, and whether it repeats the reply to an earlier request. */
export type Replayable<Reply> = { readonly reply: Reply; readonly replayed: boolean };

const [pauseMsMin, pauseMsMax] = [25, 400];

/**
 * Makes a repeated request wait while the first one still calls its provider, so that both get the same answer. Returns
 * undefined when the first request has run longer than any request can, which means that its process has ended.
 * When too many repeats wait already, it looks only once. It polls the database, because no lock and no connection may
 * be held while a provider is called.
 */
export async function waitForFirst<Found>(
  { clock, waitingRepeats }: Pick<Services, 'waitingRepeats' | 'clock'>,
  accountId: string,
  firstAt: Date,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  if (!waitingRepeats.enter(accountId)) return look();
  try {
    const ageMs = Math.max(0, clock().getTime() - firstAt.getTime());
    const deadline = performance.now() + paymentLimits.firstAnswerMsMax - ageMs;
    for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      const found = await look();
      const leftMs = deadline - performance.now();
      if (found !== undefined || leftMs <= 0) return found;
      await delay(Math.min(pauseMs, leftMs));
    }
  } finally {
    waitingRepeats.leave(accountId);
  }
}
