/**
 * How long a change may take from its time to its commit. A change gets its time from the clock of a process before its
 * transaction begins, so changes become visible out of order, and clocks differ. Everything within that time is counted
 * again. A transaction cannot last that long, because its statements and its pauses have timeouts.
 */
import { addSeconds } from '../time.ts';

const commitDelaySecondsMax = 5 * 60;

/** Changes before this time were visible to a count that has reached a time. */
export function settledBefore(reachedAt: Date): Date {
  return addSeconds(reachedAt, -commitDelaySecondsMax);
}
