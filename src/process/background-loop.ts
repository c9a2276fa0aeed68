/** Repeats background work: at once while there is more to do, else after a tick or when it is woken. */
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { BackgroundReports } from '../services/background-reports.ts';
import type { StepReport } from '../store/upkeep/background-steps.ts';

export type BackgroundLoop = ReturnType<typeof startLoop>;

type LoopOptions = {
  /** Rests this many times as long as a round took although there is more to do, so that requests come first. */
  readonly restShare?: number;
  readonly tickMs?: number;
  /** Without a success for this long, every failure is logged. */
  readonly lateMs?: number;
};

/** `round` resolves to true if there may be more to do. */
export function startLoop(
  name: string,
  reports: Pick<BackgroundReports, 'addLoop' | 'logFailure'>,
  round: () => Promise<boolean>,
  {
    restShare = 0,
    tickMs = limits.backgroundTickMs,
    lateMs = 1_000 * limits.stepLateSeconds,
  }: LoopOptions = {},
) {
  let isStopped = false;
  let wake = () => {};
  let isWoken = false;
  let report: StepReport = {
    step: name,
    lastSuccessAt: null,
    lastFailureAt: null,
    lastDurationMs: 0,
    failures: 0,
    backlog: null,
  };
  reports.addLoop(() => report);
  const startedAt = new Date();
  const isLate = () => Date.now() - (report.lastSuccessAt ?? startedAt).getTime() > lateMs;

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (isWoken || isStopped) wake();
    });
  const run = async () => {
    while (!isStopped) {
      isWoken = false;
      const startedAtMs = performance.now();
      const isBehind = await round().catch((error: unknown) => {
        // A database that is away fails everything, and is reported elsewhere. A statement that is too slow looks the
        // same and fails for ever.
        if (!(error instanceof ServiceError) || isLate()) reports.logFailure(name, error);
        return undefined;
      });
      const lastDurationMs = performance.now() - startedAtMs;
      report =
        isBehind === undefined
          ? { ...report, lastDurationMs, lastFailureAt: new Date(), failures: report.failures + 1 }
          : { ...report, lastDurationMs, lastSuccessAt: new Date() };
      // A failed round must not be repeated at once, even if it was woken.
      if (isBehind === undefined) isWoken = false;
      const restMs = isBehind ? lastDurationMs * restShare : tickMs;
      if (restMs > 0) await rest(Math.min(restMs, tickMs));
    }
  };
  const ended = run();
  return {
    wake: () => {
      isWoken = true;
      wake();
    },
    /** Resolves when the round in progress has ended; no other follows. */
    stop: () => {
      isStopped = true;
      wake();
      return ended;
    },
  };
}
