/**
 * A repeat that comes while the first request still waits for its provider: it waits for what the first is about to
 * store, so that both get the same answer. Contract 11.9.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../domain/limits.ts';
import type { Clock } from '../../domain/time.ts';
import type { WaitingRepeats } from '../../services/waiting-repeats.ts';

type Needs = {
  readonly waitingRepeats: WaitingRepeats;
  readonly clock: Clock;
};

/** What an answer is, and whether it was given before. */
export type Replayable<Reply> = { readonly reply: Reply; readonly replayed: boolean };

const [pauseMsMin, pauseMsMax] = [25, 400];

/**
 * Undefined when the first request has taken longer than any request does: its process has ended. Also when too many
 * wait already: each holds one of the places that all accounts share. Polls, because neither a lock nor a connection may
 * be held while a provider is called.
 */
export async function waitForFirst<Found>(
  { clock, waitingRepeats }: Needs,
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
  const deadline = performance.now() + limits.firstAnswerMsMax - ageMs;
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    const found = await look();
    const leftMs = deadline - performance.now();
    if (found !== undefined || leftMs <= 0) return found;
    await delay(Math.min(pauseMs, leftMs));
  }
}
