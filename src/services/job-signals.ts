/** Tells the background what should be done at which time. */
import type { ProviderName } from '../domain/provider-name.ts';

export type Plan = { readonly at: Date };

/** Where nobody listens, as on the command line, the sweep of a serving process finds what is due. */
export type JobSignals<Planned extends Plan> = {
  readonly plan: (planned: Planned) => void;
  /** Returns how to stop listening. */
  readonly listen: (listener: (planned: Planned) => void) => () => void;
};

/** A delivery that is tried again. */
export type Retry = Plan & { readonly accountId: string; readonly deliveryId: string };

/** A transaction that its provider is asked about. */
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
