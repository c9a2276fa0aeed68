/** Scheduled work with scaled delays. It can be awaited until all is done, or stopped. */
import { setTimeout } from 'node:timers/promises';

export type Schedule = {
  /** Aborted when the simulator stops; pass it to everything that waits for others. */
  readonly signal: AbortSignal;
  /** Tracks the work until it is done. */
  readonly run: (work: () => Promise<void>) => void;
  /** Waits for the real time multiplied by the scale, or exactly `exactMs` if given. */
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
          // Work that waited when the simulator stopped is aborted on purpose.
          if (!signal.aborted) log(`ERROR: ${String(error)}`);
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
