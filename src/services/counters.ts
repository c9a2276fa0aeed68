/** Counts events for the operator that no table stores. The counts start at zero with each process. */
import type { DeliveryState } from '../domain/inbox/delivery.ts';
import type { ProviderName } from '../domain/provider-name.ts';

/** The lengths of the queues for the database, for metrics. */
export type { QueueStats } from '../postgres/queue-stats.ts';

type ProviderCall = {
  readonly provider: ProviderName;
  readonly operation: string;
  readonly outcome: string;
};

/** `refused` had a response other than 2xx, `unreachable` had none. */
type AttemptOutcome = 'delivered' | 'refused' | 'unreachable';

/** Deliveries that enter one of these states are counted. */
type CountedState = Extract<DeliveryState, 'needs_review' | 'dead' | 'expired'>;

export type Counters = ReturnType<typeof createCounters>;

export function createCounters() {
  const lastDeliveries = new Map<ProviderName, Date>();
  const calls = new Map<string, ProviderCall & { readonly count: number }>();
  const transitions: Record<CountedState, number> = { needs_review: 0, dead: 0, expired: 0 };
  const attempts: Record<AttemptOutcome, number> = { delivered: 0, refused: 0, unreachable: 0 };
  /** What consumers do: `left` without a payment that was made or failed. */
  const checkouts = { opened: 0, chosen: 0, paid: 0, failed: 0, left: 0 };
  return {
    noteCheckout: (step: keyof typeof checkouts) => {
      checkouts[step] += 1;
    },
    listCheckouts: () => entriesOf(checkouts).map(([step, count]) => ({ step, count })),
    noteAttempt: (outcome: AttemptOutcome) => {
      attempts[outcome] += 1;
    },
    listAttempts: () => entriesOf(attempts).map(([outcome, count]) => ({ outcome, count })),
    /** Deliveries that entered a state; states that are not counted are ignored. */
    noteDeliveries: (state: DeliveryState, count = 1) => {
      if (isCounted(state)) transitions[state] += count;
    },
    listTransitions: () => entriesOf(transitions).map(([state, count]) => ({ state, count })),
    noteDelivery: (provider: ProviderName, at: Date) => {
      lastDeliveries.set(provider, at);
    },
    listLastDeliveries: () => [...lastDeliveries].map(([provider, at]) => ({ provider, at })),
    noteCall: ({ provider, operation, outcome }: ProviderCall) => {
      const name = `${provider} ${operation} ${outcome}`;
      const count = (calls.get(name)?.count ?? 0) + 1;
      calls.set(name, { provider, operation, outcome, count });
    },
    listCalls: () => [...calls.values()],
  };

  function isCounted(state: DeliveryState): state is CountedState {
    return state in transitions;
  }
}

function entriesOf<Name extends string>(counts: Readonly<Record<Name, number>>) {
  return Object.entries(counts) as [Name, number][];
}
