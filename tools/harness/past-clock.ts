/**
 * A clock that starts in the past and is moved forward, for whoever lives through days in seconds. Between two moves it
 * runs fast, so that things that happen one after the other do not happen in the same second.
 */

export type PastClock = ReturnType<typeof createPastClock>;

/** A second takes five milliseconds. A simulator whose delays are scaled by `1 / speed` agrees with it. */
export const speed = 200;

/** It never passes its end, which is the real time unless given. */
export function createPastClock(start: Date, end?: Date) {
  let isPast = true;
  let movedTo = start.getTime();
  let movedAt = performance.now();
  const nowMs = () => {
    if (!isPast) return Date.now();
    const endMs = end?.getTime() ?? Date.now();
    return Math.min(endMs, movedTo + (performance.now() - movedAt) * speed);
  };
  return {
    now: () => new Date(nowMs()),
    /** Moves forward; a time that has passed already changes nothing. */
    moveTo: (time: Date) => {
      movedTo = Math.max(time.getTime(), nowMs());
      movedAt = performance.now();
    },
    /** From here on it shows the real time. */
    endPast: () => {
      isPast = false;
    },
  };
}
