/**
 * Runs a piece of background work again and again: at once while there is more to do, else after a short tick or when it
 * is woken. A round that fails is logged, and the next one follows after a tick.
 */
import { limits } from './domain/limits.ts';
import type { Log } from './log.ts';
import type { LoopReports } from './services/loop-reports.ts';

export type BackgroundLoop = {
  /** The next round starts at once. */
  readonly wake: () => void;
  /** Resolves when the round in progress has ended; no other follows. */
  readonly stop: () => Promise<void>;
};

/** `round` resolves to true if there may be more to do. */
export function startLoop(
  name: string,
  { log, loopReports }: { readonly log: Log; readonly loopReports: LoopReports },
  round: () => Promise<boolean>,
): BackgroundLoop {
  let isStopped = false;
  let wake = () => {};
  let isWoken = false;
  let succeededAt: Date | null = null;

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
        log.warn({ err: error, loop: name }, 'background work failed; it is repeated');
        return undefined;
      });
      if (isBehind !== undefined) succeededAt = new Date();
      const durationMs = performance.now() - startedAtMs;
      loopReports.note(name, { succeededAt, durationMs, isBehind: isBehind ?? false });
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
