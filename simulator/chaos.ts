/** Chooses a scenario for each reference by seed: the same seed gives the same scenarios. */
import { behaviourOf, type ScenarioName, scenarioNames } from './behaviours.ts';
import type { DisputePlan, DisputeStep } from './dispute-steps.ts';
import { pick, pickWeighted, type Random, randomOf } from './random.ts';
import type { Scenario } from './scenario.ts';

/** Most payments succeed even under chaos. */
const weights: Readonly<Record<Exclude<ScenarioName, 'chaos'>, number>> = {
  happy: 30,
  decline: 10,
  'late-success': 10,
  'second-attempt': 8,
  'refund-failing': 6,
  'refund-late': 4,
  'duplicate-storm': 4,
  swapped: 8,
  'lost-webhook': 8,
  'wrong-signature': 6,
  truncated: 6,
  'provider-down': 6,
  slow: 6,
  'answer-lost': 6,
  'repeat-refused': 6,
  'rate-limited': 6,
  'lists-lagging': 6,
  'manual-capture': 6,
  release: 5,
  'capture-declined': 3,
  'capture-pending': 3,
  'capture-declined-late': 3,
  'partial-capture': 5,
  'refund-declined-in-part': 4,
  'partial-capture-only': 4,
  'void-and-capture-again': 4,
  void: 4,
  chargeback: 4,
  'dispute-won': 4,
  offer: 5,
  fee: 5,
};

const reasons = [
  'insufficient_funds',
  'payment_timed_out',
  'card_declined',
  'authentication_failed',
  'gateway_technical_error',
] as const;

export function chaosScenario(seed: number, reference: string): Scenario {
  const random = randomOf(seed, `chaos:${reference}`);
  const name = pickWeighted(
    random,
    scenarioNames().map((one) => [one, weights[one]] as const),
  );
  const disputes = planDisputes(random, name);
  return {
    name,
    ...(disputes.length > 0 && { behaviour: { disputes } }),
    reason: pick(random, reasons),
    times: 1 + Math.floor(random() * 3),
    scatter: { windowMs: Math.floor(random() * 20_000), copiesMax: 1 + Math.floor(random() * 4) },
  };
}

const endings: readonly (readonly [readonly DisputeStep[], number])[] = [
  [['lost'], 3],
  [['action_required', 'under_review', 'won'], 2],
  [['under_review', 'action_required', 'lost'], 2],
  [['action_required', 'closed'], 2],
  [['under_review'], 1],
  [[], 1],
];

/**
 * Every fifth payment is disputed, in whole or in part, some of them twice. Nothing lists disputes at the partner, so one
 * whose webhooks are all lost cannot be known.
 */
function planDisputes(random: Random, name: ScenarioName): DisputePlan[] {
  const count = pickWeighted(random, [
    [0, 80],
    [1, 14],
    [2, 6],
  ]);
  if (behaviourOf({ name }).webhooks === 'never') return [];
  return Array.from({ length: count }, () => ({
    share: pick(random, [1, random(), random() / 2]),
    steps: pickWeighted(random, endings),
  }));
}
