/**
 * A repeat that comes while the first request still waits for its provider: it waits for what the first is about to
 * store, so that both get the same answer. Decision 11.9.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../domain/limits.ts';
import type { Services } from './services.ts';

/** What an answer is, and whether it was given before. */
export type Replayable<Reply> = { readonly reply: Reply; readonly replayed: boolean };

const [pauseMsMin, pauseMsMax] = [25, 400];

/**
 * Undefined when the first request has taken longer than any request does: its process has ended. Polls, because neither
 * a lock nor a connection may be held while a provider is called.
 */
export async function waitForFirst<Found>(
  { clock }: Services,
  firstAt: Date,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const ageMs = Math.max(0, clock().getTime() - firstAt.getTime());
  const deadline = performance.now() + limits.firstAnswerMsMax - ageMs;
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    const found = await look();
    const leftMs = deadline - performance.now();
    if (found !== undefined || leftMs <= 0) return found;
    await delay(Math.min(pauseMs, leftMs));
  }
}
