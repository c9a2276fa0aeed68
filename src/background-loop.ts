/**
 * Runs a piece of background work again and again: at once while there is more to do, else after a short tick or when it
 * is woken. A round that fails is logged, and the next one follows after a tick.
 */
import { limits } from './domain/limits.ts';
import type { Log } from './log.ts';
import type { BackgroundReports } from './services/background-reports.ts';
import type { StepReport } from './store/background-steps.ts';

export type BackgroundLoop = {
  /** The next round starts at once. */
  readonly wake: () => void;
  /** Resolves when the round in progress has ended; no other follows. */
  readonly stop: () => Promise<void>;
};

/** `round` resolves to true if there may be more to do. */
export function startLoop(
  name: string,
  needs: { readonly log: Log; readonly backgroundReports: Pick<BackgroundReports, 'addLoop'> },
  round: () => Promise<boolean>,
): BackgroundLoop {
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
  needs.backgroundReports.addLoop(() => report);

  const rest = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limits.backgroundTickMs);
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
        needs.log.warn({ err: error, loop: name }, 'background work failed; it is repeated');
        return undefined;
      });
      const lastDurationMs = performance.now() - startedAtMs;
      report =
        isBehind === undefined
          ? { ...report, lastDurationMs, lastFailureAt: new Date(), failures: report.failures + 1 }
          : { ...report, lastDurationMs, lastSuccessAt: new Date() };
      // A failed round must not be repeated at once, even if it was woken.
      if (isBehind === undefined) isWoken = false;
      if (!isBehind) await rest();
    }
  };
  const ended = run();
  return {
    wake: () => {
      isWoken = true;
      wake();
    },
    stop: () => {
      isStopped = true;
      wake();
      return ended;
    },
  };
}
