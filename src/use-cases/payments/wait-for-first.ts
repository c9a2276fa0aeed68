/**
 * Makes a repeated request wait while the first one still calls its provider, so that both get the same answer.
 * Contract 11.9.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { Clock } from '../../domain/time.ts';
import type { Services } from '../../services/services.ts';

/** A reply, and whether it repeats the reply to an earlier request. */
export type Replayable<Reply> = { readonly reply: Reply; readonly replayed: boolean };

const [pauseMsMin, pauseMsMax] = [25, 400];

/**
 * Returns undefined when the first request has run longer than any request can, which means that its process has ended.
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
    return await pollFor(clock, firstAt, look);
  } finally {
    waitingRepeats.leave(accountId);
  }
}

async function pollFor<Found>(
  clock: Clock,
  firstAt: Date,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const ageMs = Math.max(0, clock().getTime() - firstAt.getTime());
  const deadline = performance.now() + paymentLimits.firstAnswerMsMax - ageMs;
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    const found = await look();
    const leftMs = deadline - performance.now();
    if (found !== undefined || leftMs <= 0) return found;
    await delay(Math.min(pauseMs, leftMs));
  }
}
