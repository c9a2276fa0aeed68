/** Signals to the background jobs that work is due at a given time. */
import type { ProviderName } from '../domain/provider-name.ts';

export type DueJob = { readonly at: Date };

/** Without a listener, as on the command line, the sweep of a serving process finds the work that is due. */
export type JobSignals<Job extends DueJob> = {
  readonly signal: (job: Job) => void;
  /** Returns a function that removes the listener. */
  readonly listen: (listener: (job: Job) => void) => () => void;
};

/** A delivery to apply again. */
export type Retry = DueJob & { readonly accountId: string; readonly deliveryId: string };

/** A transaction to poll at its provider. */
export type Poll = DueJob & {
  readonly accountId: string;
  readonly transactionId: string;
  readonly provider: ProviderName;
};

export function createJobSignals<Job extends DueJob>(): JobSignals<Job> {
  const listeners = new Set<(job: Job) => void>();
  return {
    signal: (job) => {
      for (const listener of listeners) listener(job);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
