/**
 * Reports a frequent event at most once per interval: the latest one, and how many there were since the last report,
 * this one included.
 */
export function throttle<Event>(
  everyMs: number,
  report: (event: Event, times: number) => void,
  clockMs: () => number = () => performance.now(),
): (event: Event) => void {
  let times = 0;
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (event) => {
    times += 1;
    const nowMs = clockMs();
    if (nowMs - reportedAtMs < everyMs) return;
    reportedAtMs = nowMs;
    report(event, times);
    times = 0;
  };
}
