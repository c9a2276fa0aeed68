/** For what happens often and is told seldom: the first time, and then once in so many milliseconds. */

/** `tell` hears how often it happened since it was last told, this time included. */
export function throttle<Told>(
  everyMs: number,
  tell: (told: Told, times: number) => void,
  clockMs: () => number = () => performance.now(),
): (told: Told) => void {
  let times = 0;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (told) => {
    times += 1;
    const nowMs = clockMs();
    if (nowMs - toldAtMs < everyMs) return;
    toldAtMs = nowMs;
    tell(told, times);
    times = 0;
  };
}
