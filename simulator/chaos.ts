/** A scenario for each reference, chosen by seed: the same seed makes the same trouble. */
import { type ScenarioName, scenarioNames } from './behaviours.ts';
import { pick, pickWeighted, randomOf } from './random.ts';
import type { Scenario } from './scenarios.ts';

/** Most payments go well even on a bad day. Zero: never by chance, only when asked for. */
const weights: Readonly<Record<Exclude<ScenarioName, 'chaos'>, number>> = {
  happy: 30,
  decline: 10,
  'late-success': 10,
  'second-attempt': 8,
  'refund-failing': 6,
  'duplicate-storm': 4,
  swapped: 8,
  'lost-webhook': 8,
  'wrong-signature': 6,
  truncated: 6,
  'provider-down': 6,
  slow: 6,
  'manual-capture': 0,
  release: 0,
  'partial-capture': 0,
  'partial-capture-only': 0,
  'void-and-capture-again': 0,
  void: 0,
  chargeback: 0,
  offer: 0,
};

export function chaosNames(): ScenarioName[] {
  return scenarioNames().filter((name) => weights[name] > 0);
}

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
