/** What happens later: scaled waits, and the two ways to end them: wait until all is done, or stop. */
import { setTimeout } from 'node:timers/promises';

export type Schedule = {
  /** Ends with the simulator; whoever waits for somebody else listens to it. */
  readonly signal: AbortSignal;
  /** Keeps a piece of work in mind until it is done. */
  readonly run: (work: () => Promise<void>) => void;
  /** Waits for a time of the real world times the scale, or exactly as long as somebody wished. */
  readonly wait: (realMs: number, exactMs?: number) => Promise<void>;
  readonly settled: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export function openSchedule(timeScale: number, log: (line: string) => void): Schedule {
  const stopping = new AbortController();
  const { signal } = stopping;
  const working = new Set<Promise<void>>();

  const settled = async () => {
    while (working.size > 0) await Promise.all(working);
  };
  return {
    signal,
    run: (work) => {
      const done: Promise<void> = work()
        .catch((error: unknown) => {
          // What was waiting when the simulator stopped was given up on purpose.
          if (!signal.aborted) log(`TROUBLE: ${String(error)}`);
        })
        .finally(() => working.delete(done));
      working.add(done);
    },
    wait: (realMs, exactMs = realMs * timeScale) => setTimeout(exactMs, undefined, { signal }),
    settled,
    stop: () => {
      stopping.abort();
      return settled();
    },
  };
}
