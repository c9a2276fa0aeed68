/** Scheduled work of the simulator that waits for a clock which the test moves. */
import { setImmediate } from 'node:timers/promises';
import type { Schedule } from '../../../simulator/schedule.ts';

export type VirtualSchedule = Schedule & {
  /** Does what is due by now, in the order of the times. Call it after the clock was moved. */
  readonly runDue: () => Promise<void>;
};

type Waiting = { readonly dueMs: number; readonly resolve: () => void };

export function openVirtualSchedule(now: () => number): VirtualSchedule {
  const stopping = new AbortController();
  const working = new Set<Promise<void>>();
  let waiting: readonly Waiting[] = [];

  const run: Schedule['run'] = (work) => {
    const done: Promise<void> = work().finally(() => working.delete(done));
    // Work that waits when the simulator stops is given up.
    done.catch((error) => {
      if (!stopping.signal.aborted) throw error;
    });
    working.add(done);
  };
  return {
    signal: stopping.signal,
    run,
    wait: (realMs, exactMs = realMs) =>
      new Promise((resolve, reject) => {
        stopping.signal.addEventListener('abort', () => reject(stopping.signal.reason));
        waiting = [...waiting, { dueMs: now() + exactMs, resolve }];
      }),
    settled: async () => void (await Promise.all(working)),
    stop: async () => {
      stopping.abort();
      await Promise.allSettled(working);
    },
    runDue: async () => {
      for (let due = takeDue(); due.length > 0; due = takeDue()) {
        for (const { resolve } of due) resolve();
        // What follows may wait again, and be due as well.
        await setImmediate();
      }
    },
  };

  function takeDue(): readonly Waiting[] {
    const isDue = ({ dueMs }: Waiting) => dueMs <= now();
    const due = waiting.filter(isDue).sort((a, b) => a.dueMs - b.dueMs);
    waiting = waiting.filter((entry) => !isDue(entry));
    return due;
  }
}
