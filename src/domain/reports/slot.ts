/**
 * Half hours, in which figures are counted. The days of most countries begin at a full hour of UTC, those of India and
 * some others at half past.
 */
import { addSeconds } from '../time.ts';

export const slotMinutes = 30;

const slotMs = slotMinutes * 60_000;

export const slotOf = (time: Date): Date => new Date(Math.floor(time.getTime() / slotMs) * slotMs);

export const slotAfter = (slot: Date): Date => new Date(slot.getTime() + slotMs);

export function slotsBetween(from: Date, to: Date): Date[] {
  const slots: Date[] = [];
  for (let slot = slotOf(from); slot <= to; slot = slotAfter(slot)) slots.push(slot);
  return slots;
}

const dayMs = 86_400_000;

export const dayOf = (time: Date): Date => new Date(Math.floor(time.getTime() / dayMs) * dayMs);

export const dayAfter = (day: Date): Date => new Date(day.getTime() + dayMs);

/**
 * How long a change may take from its time to its commit. A change gets its time from the clock of a process before its
 * transaction begins, so changes become visible out of order, and clocks differ. Everything within that time is counted
 * again. A transaction cannot last that long, because its statements and its pauses have timeouts.
 */
const commitDelaySecondsMax = 5 * 60;

/** Changes before this time were visible to a count that has reached a time. */
export const settledBefore = (reachedAt: Date) => addSeconds(reachedAt, -commitDelaySecondsMax);
