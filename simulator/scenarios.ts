/** What may go well or wrong at a provider: a table of names, and which of them holds for whom. */
import { chaosScenario } from './chaos.ts';

export type Scenario = {
  readonly name: ScenarioName;
  /** Why a payment is declined: a partner's error_reason or a gateway code, in either case. */
  readonly reason?: string;
  /** provider-down, slow: how many calls of each start are hit (2 and 1 when not given). */
  readonly times?: number;
  /** duplicate-storm: how many copies of each webhook. */
  readonly copies?: number;
  /** slow, late-success, swapped: how long to wait, not scaled. */
  readonly delayMs?: number;
  /** slow: false for a call that is answered late and did nothing. */
  readonly takesEffect?: boolean;
  /** truncated: the connection breaks (the default), or half of the body is sent as if whole. */
  readonly cut?: 'connection' | 'body';
  /** Webhooks take random times within the window and come in up to so many copies. */
  readonly scatter?: { readonly windowMs: number; readonly copiesMax: number };
};

export type ScenarioName =
  | ReturnType<typeof scenarioNames>[number]
  /** Each reference gets a scenario of its own, by seed. */
  | 'chaos';

export type Behaviour = {
  readonly says: string;
  readonly payment: 'paid' | 'declined' | 'declined-then-paid' | 'first-try-declined';
  readonly refund: 'processed' | 'failed';
  readonly calls: 'prompt' | 'down' | 'slow';
  readonly webhooks: 'in-order' | 'reversed' | 'never';
  readonly firstTry: 'whole' | 'wrong-signature' | 'cut-off';
  readonly copies: number;
};

export type Action = 'pay' | 'decline' | 'cancel';

export const isAction = (value: unknown): value is Action =>
  value === 'pay' || value === 'decline' || value === 'cancel';

export type Outcome = 'paid' | 'declined' | 'declined-then-paid' | 'cancelled';

const happy: Behaviour = {
  says: 'Payments and refunds succeed; each webhook comes once and in order.',
  payment: 'paid',
  refund: 'processed',
  calls: 'prompt',
  webhooks: 'in-order',
  firstTry: 'whole',
  copies: 1,
};

const table = {
  happy,
  decline: {
    ...happy,
    says: 'The bank declines; the reason can be chosen.',
    payment: 'declined',
  },
  'late-success': {
    ...happy,
    says: 'A payment is reported failed and captured later after all.',
    payment: 'declined-then-paid',
  },
  'second-attempt': {
    ...happy,
    says: 'The first try on the page is declined, the second is paid.',
    payment: 'first-try-declined',
  },
  'refund-failing': {
    ...happy,
    says: 'Refunds are accepted and fail later.',
    refund: 'failed',
  },
  'duplicate-storm': {
    ...happy,
    says: 'Each webhook is sent twenty times at once.',
    copies: 20,
  },
  swapped: {
    ...happy,
    says: 'Webhooks of a payment and its refunds come in reverse order.',
    webhooks: 'reversed',
  },
  'lost-webhook': {
    ...happy,
    says: 'No webhook is ever sent; the APIs know the truth.',
    webhooks: 'never',
  },
  'wrong-signature': {
    ...happy,
    says: 'The first try of each webhook is signed with another secret.',
    firstTry: 'wrong-signature',
  },
  truncated: {
    ...happy,
    says: 'The first try of each webhook is cut off in the middle.',
    firstTry: 'cut-off',
  },
  'provider-down': {
    ...happy,
    says: 'The first calls of each start fail without effect: broken connections and 503.',
    calls: 'down',
  },
  slow: {
    ...happy,
    says: 'The first call of each start takes effect at once and is answered late.',
    calls: 'slow',
  },
} as const satisfies Record<string, Behaviour>;

export function scenarioNames() {
  return Object.keys(table) as (keyof typeof table)[];
}

export function behaviourOf({ name }: Scenario): Behaviour {
  // Chaos is resolved to another name before anybody acts on it.
  return name === 'chaos' ? happy : table[name];
}

export function isScenarioName(value: unknown): value is ScenarioName {
  return value === 'chaos' || (typeof value === 'string' && Object.hasOwn(table, value));
}

/** What becomes of a try on the payment page. The consumer's own wish comes first. */
export function decideOutcome(scenario: Scenario, action: Action, triesBefore: number): Outcome {
  if (action === 'cancel') return 'cancelled';
  if (action === 'decline') return 'declined';
  const { payment } = behaviourOf(scenario);
  if (payment === 'first-try-declined') return triesBefore === 0 ? 'declined' : 'paid';
  return payment;
}

export type Scenarios = {
  readonly current: () => Scenario;
  readonly set: (scenario: Scenario) => void;
  readonly setFor: (reference: string, scenario: Scenario) => void;
  /** The scenario of the first reference that has one of its own, else the current one. */
  readonly of: (references: readonly string[]) => Scenario;
};

export function openScenarios(seed: number, first: Scenario): Scenarios {
  let current = first;
  const own = new Map<string, Scenario>();
  return {
    current: () => current,
    set: (scenario) => {
      current = scenario;
    },
    setFor: (reference, scenario) => void own.set(reference, scenario),
    of: (references) => {
      const named = [...references, ...references.flatMap(orderOf)];
      const found = named.map((name) => own.get(name)).find((scenario) => scenario !== undefined);
      const scenario = found ?? current;
      return scenario.name === 'chaos' ? chaosScenario(seed, references[0] ?? '') : scenario;
    },
  };
}

/** A transaction's id begins with the id of its order: `<order>-<yyMMddHHmmss>`. */
function orderOf(reference: string): string[] {
  const match = /^(.+)-\d{12}$/.exec(reference);
  return match?.[1] ? [match[1]] : [];
}
