/** Signals to the background jobs that work is due at a given time. */
import type { ProviderName } from '../domain/provider-name.ts';

export type Plan = { readonly at: Date };

/** Without a listener, as on the command line, the sweep of a serving process finds the work that is due. */
export type JobSignals<Planned extends Plan> = {
  readonly plan: (planned: Planned) => void;
  /** Returns a function that removes the listener. */
  readonly listen: (listener: (planned: Planned) => void) => () => void;
};

/** A delivery to apply again. */
export type Retry = Plan & { readonly accountId: string; readonly deliveryId: string };

/** A transaction to poll at its provider. */
export type Poll = Plan & {
  readonly accountId: string;
  readonly transactionId: string;
  readonly provider: ProviderName;
};

export function createJobSignals<Planned extends Plan>(): JobSignals<Planned> {
  const listeners = new Set<(planned: Planned) => void>();
  return {
    plan: (planned) => {
      for (const listener of listeners) listener(planned);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
