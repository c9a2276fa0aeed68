/** Reports a frequent event at most once per interval, with the number of times it has happened since. */

/** `report` gets the latest event and the number of events since the last report, this one included. */
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
