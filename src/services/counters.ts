/** Counts events for the operator that no table stores. The counts start at zero with each process. */
import type { DeliveryState } from '../domain/inbox/delivery.ts';
import type { ProviderName } from '../domain/provider-name.ts';

/** The lengths of the queues for the database, for metrics. */
export type { QueueStats } from '../postgres/queue-stats.ts';

/** Deliveries that enter one of these states are counted. */
const countedStates = ['needs_review', 'dead', 'expired'] as const satisfies DeliveryState[];
type CountedState = (typeof countedStates)[number];

type ProviderCall = {
  readonly provider: ProviderName;
  readonly operation: string;
  readonly outcome: string;
};

/** `refused` had a response other than 2xx, `unreachable` had none. */
const attemptOutcomes = ['delivered', 'refused', 'unreachable'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** What consumers do at checkout: `left` without a payment that was made or failed. */
const checkoutSteps = ['opened', 'chosen', 'paid', 'failed', 'left'] as const;
type CheckoutStepName = (typeof checkoutSteps)[number];

export type Counters = {
  readonly noteDelivery: (provider: ProviderName, at: Date) => void;
  readonly listLastDeliveries: () => { readonly provider: ProviderName; readonly at: Date }[];
  /** Deliveries that entered a state; states that are not counted are ignored. */
  readonly noteDeliveries: (state: DeliveryState, count?: number) => void;
  readonly listTransitions: () => { readonly state: CountedState; readonly count: number }[];
  readonly noteCall: (call: ProviderCall) => void;
  readonly listCalls: () => (ProviderCall & { readonly count: number })[];
  /** Attempts to send an event to a shop. */
  readonly noteAttempt: (outcome: AttemptOutcome) => void;
  readonly noteCheckout: (step: CheckoutStepName) => void;
  readonly listCheckouts: () => { readonly step: CheckoutStepName; readonly count: number }[];
  readonly listAttempts: () => { readonly outcome: AttemptOutcome; readonly count: number }[];
};

export function createCounters(): Counters {
  const lastDeliveries = new Map<ProviderName, Date>();
  const calls = new Map<string, ProviderCall & { readonly count: number }>();
  const transitions = new Map(countedStates.map((state): [string, number] => [state, 0]));
  const attempts = new Map(attemptOutcomes.map((outcome) => [outcome, 0]));
  const checkouts = new Map(checkoutSteps.map((step) => [step, 0]));
  return {
    noteCheckout: (step) => {
      checkouts.set(step, (checkouts.get(step) ?? 0) + 1);
    },
    listCheckouts: () => [...checkouts].map(([step, count]) => ({ step, count })),
    noteAttempt: (outcome) => {
      attempts.set(outcome, (attempts.get(outcome) ?? 0) + 1);
    },
    listAttempts: () => [...attempts].map(([outcome, count]) => ({ outcome, count })),
    noteDeliveries: (state, count = 1) => {
      const before = transitions.get(state);
      if (before !== undefined) transitions.set(state, before + count);
    },
    listTransitions: () =>
      countedStates.map((state) => ({ state, count: transitions.get(state) ?? 0 })),
    noteDelivery: (provider, at) => {
      lastDeliveries.set(provider, at);
    },
    listLastDeliveries: () => [...lastDeliveries].map(([provider, at]) => ({ provider, at })),
    noteCall: ({ provider, operation, outcome }) => {
      const name = `${provider} ${operation} ${outcome}`;
      const count = (calls.get(name)?.count ?? 0) + 1;
      calls.set(name, { provider, operation, outcome, count });
    },
    listCalls: () => [...calls.values()],
  };
}
