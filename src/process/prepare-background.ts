/** Starts background work, and tries again until it works. Requests can be served without it; /readyz reports it. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../domain/errors.ts';
import { throttle } from '../services/throttle.ts';
import type { Background } from './background.ts';
import type { Bootstrapped } from './bootstrap.ts';
import type { Log } from './log.ts';

const retryMsMin = 1_000;
const retryMsMax = 60_000;
const logEveryMs = 600_000;
/** While the database is away, /readyz reports that by itself, and everything resumes soon after its return. */
const awayMsUsuallyMax = 30_000;

const whatToDo =
  'Background work could not be started, so deliveries are not retried, payments are not polled and orders do not lapse. Check that the database has connections left, and that its user may read and write the table sweep_lease; see "BackgroundNotRunning" in docs/operations.md. The service keeps trying.';

export function prepareBackground(
  { services, databaseWait }: Pick<Bootstrapped, 'services' | 'databaseWait'>,
  log: Log,
  { awayMsMax = awayMsUsuallyMax } = {},
) {
  const ending = new AbortController();
  let isMissing = false;
  let started: Promise<Background | undefined> = Promise.resolve(undefined);
  const logFailure = throttle(logEveryMs, (error: unknown, times) =>
    log.error({ err: error, times }, whatToDo),
  );
  const startUntilItWorks = async (): Promise<Background> => {
    await databaseWait.done;
    const startedAtMs = performance.now();
    for (let retryMs = retryMsMin; ; ) {
      try {
        // Loaded here, so that the first process of several workers does not load it.
        const { startBackground } = await import('./background.ts');
        const background = await startBackground(services, log);
        if (isMissing) log.info('background work has started');
        isMissing = false;
        return background;
      } catch (error) {
        const isAway = error instanceof ServiceError;
        // A database that answers requests may refuse this all the time: it has no connection left, or is too slow.
        isMissing = !isAway || performance.now() - startedAtMs > awayMsMax;
        retryMs = isAway ? retryMsMin : Math.min(retryMs * 2, retryMsMax);
        if (isMissing) logFailure(error);
        await delay(retryMs, undefined, { signal: ending.signal });
      }
    }
  };
  return {
    start: () => {
      started = startUntilItWorks().catch(() => undefined);
    },
    /** True after a start that failed for another reason than a short absence of the database, until one succeeds. */
    isMissing: () => isMissing,
    stop: async () => {
      ending.abort();
      await (await started)?.stop();
    },
  };
}
