/** Tells the background at which time a delivery should be tried again. */

export type Retry = {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly at: Date;
};

/** Where nobody listens, as on the command line, the sweep of a serving process finds it. */
export type Retries = {
  readonly plan: (retry: Retry) => void;
  /** Returns how to stop listening. */
  readonly listen: (listener: (retry: Retry) => void) => () => void;
};

export function createRetries(): Retries {
  const listeners = new Set<(retry: Retry) => void>();
  return {
    plan: (retry) => {
      for (const listener of listeners) listener(retry);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
