/** What must be done with the database before anything is served: at once, or as soon as it is there. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from './domain/errors.ts';

export type DatabaseWait = {
  /** Rejects with what time does not mend. */
  readonly done: Promise<void>;
  readonly isDone: () => boolean;
};

type Steps = {
  readonly prepare: () => Promise<void>;
  readonly explain: (error: unknown) => unknown;
  /** Called after every try in vain. */
  readonly onWaiting?: ((explained: unknown) => void) | undefined;
  /** Given, a database that is away is waited for until this is aborted. */
  readonly waiting?: AbortSignal | undefined;
};

const tryAgainMs = 100;

/** Resolves when all is prepared, or when the database is away and will be waited for. */
export async function prepareOrWait(steps: Steps): Promise<DatabaseWait> {
  if (await isPrepared(steps)) return { done: Promise.resolve(), isDone: () => true };
  let isDone = false;
  const done = prepareWhenThere(steps).then(() => {
    isDone = true;
  });
  // Whoever asked for it looks at this in their own time.
  done.catch(() => {});
  return { done, isDone: () => isDone };
}

async function prepareWhenThere(steps: Steps): Promise<void> {
  do {
    await delay(tryAgainMs, undefined, { signal: steps.waiting });
  } while (!(await isPrepared(steps)));
}

/** False when it can be tried again; a wrong password or a foreign key no time would mend. */
async function isPrepared({ prepare, explain, onWaiting, waiting }: Steps): Promise<boolean> {
  try {
    await prepare();
    return true;
  } catch (error) {
    const isAway = error instanceof ServiceError && error.code === 'SERVICE_UNAVAILABLE';
    if (!waiting || !isAway) throw explain(error);
    onWaiting?.(explain(error));
    return false;
  }
}
