/** Chooses a scenario for each reference by seed: the same seed gives the same scenarios. */
import { type ScenarioName, scenarioNames } from './behaviours.ts';
import { pick, pickWeighted, randomOf } from './random.ts';
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
  return {
    name: pickWeighted(
      random,
      scenarioNames().map((name) => [name, weights[name]] as const),
    ),
    reason: pick(random, reasons),
    times: 1 + Math.floor(random() * 3),
    scatter: { windowMs: Math.floor(random() * 20_000), copiesMax: 1 + Math.floor(random() * 4) },
  };
}
