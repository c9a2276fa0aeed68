/**
 * Reports on background work that a process keeps in memory: loops that run all the time, and failures to log. What the
 * sweep did is in the database.
 */
import type { StepReport } from '../store/upkeep/background-steps.ts';
import { throttle } from './throttle.ts';

export type BackgroundReports = ReturnType<typeof createBackgroundReports>;

const logEveryMs = 600_000;

export function createBackgroundReports(
  report: (error: unknown, about: Readonly<Record<string, string>>) => void,
) {
  const loops: Array<() => StepReport> = [];
  const throttles = new Map<string, (error: unknown) => void>();
  const newThrottle = (step: string) =>
    throttle(logEveryMs, (error: unknown, times) =>
      report(error, { background_step: step, times: String(times) }),
    );
  return {
    /** Adds a loop of this process. It replaces a step of the sweep with the same name. */
    addLoop: (read: () => StepReport) => {
      loops.push(read);
    },
    listLoops: () => loops.map((read) => read()),
    /** Logs a step that failed: at most once in ten minutes per step. */
    logFailure: (step: string, error: unknown) => {
      const log = throttles.get(step) ?? newThrottle(step);
      throttles.set(step, log);
      log(error);
    },
  };
}
