/** Prepares the database before anything is served: immediately, or as soon as it is available. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../domain/errors.ts';

export type DatabaseWait = Awaited<ReturnType<typeof prepareOrWait>>;

export type WaitSteps = {
  readonly prepare: () => Promise<void>;
  readonly explain: (error: unknown) => unknown;
  readonly onWaiting?: ((explained: unknown) => void) | undefined;
  /** Without it an unavailable database is an error; with it `prepare` is retried until this is aborted. */
  readonly waiting?: AbortSignal | undefined;
};

const retryMs = 100;

/** Resolves when the database is prepared, or when it is unavailable and retries have started. */
export async function prepareOrWait(steps: WaitSteps) {
  let isDone = await isPrepared(steps);
  const becomeDone = async () => {
    do {
      await delay(retryMs, undefined, { signal: steps.waiting });
    } while (!(await isPrepared(steps)));
    isDone = true;
  };
  const done = isDone ? Promise.resolve() : becomeDone();
  // The caller handles the rejection later; until then it must not count as unhandled.
  done.catch(() => {});
  return {
    /** Rejects with an error that waiting cannot fix, such as a wrong password. */
    done,
    isDone: () => isDone,
  };
}

/** False when a retry may succeed; throws for errors that waiting cannot fix, such as a wrong password or master key. */
async function isPrepared({ prepare, explain, onWaiting, waiting }: WaitSteps): Promise<boolean> {
  try {
    await prepare();
    return true;
  } catch (error) {
    const isUnavailable = error instanceof ServiceError && error.code === 'SERVICE_UNAVAILABLE';
    if (!waiting || !isUnavailable) throw explain(error);
    onWaiting?.(explain(error));
    return false;
  }
}
