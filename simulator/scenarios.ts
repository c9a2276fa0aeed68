/** Which scenario applies to a payment or refund, and the outcome of a consumer's attempt under it. */

import { behaviourOf } from './behaviours.ts';
import { chaosScenario } from './chaos.ts';
import type { Scenario } from './scenario.ts';

const actions = ['pay', 'pay-from-another', 'decline', 'cancel'] as const;

/** `pay-from-another`: not from the bank account of the order; without one, the same as `pay`. */
export type Action = (typeof actions)[number];

export const isAction = (value: unknown): value is Action =>
  actions.some((action) => action === value);

export type Outcome = 'paid' | 'declined' | 'declined-then-paid' | 'cancelled';

/** The outcome of an attempt on the payment page. The consumer's choice takes precedence over the scenario. */
export function decideOutcome(scenario: Scenario, action: Action, triesBefore: number): Outcome {
  if (action === 'cancel') return 'cancelled';
  if (action === 'decline') return 'declined';
  const { payment } = behaviourOf(scenario);
  if (payment === 'first-try-declined') return triesBefore === 0 ? 'declined' : 'paid';
  return payment;
}

export type Scenarios = ReturnType<typeof openScenarios>;

export function openScenarios(seed: number, first: Scenario) {
  let current = first;
  const own = new Map<string, Scenario>();
  return {
    current: () => current,
    set: (scenario: Scenario) => {
      current = scenario;
    },
    setFor: (reference: string, scenario: Scenario) => void own.set(reference, scenario),
    /** The scenario of the first reference that has its own, otherwise the current one. */
    of: (references: readonly string[]): Scenario => {
      const direct = references.flatMap((reference) => [reference, wholeOf(reference)]);
      const named = [...direct, ...direct.flatMap(orderOf)];
      const found = named.map((name) => own.get(name)).find((scenario) => scenario !== undefined);
      const scenario = found ?? current;
      return scenario.name === 'chaos' ? chaosScenario(seed, references[0] ?? '') : scenario;
    },
  };
}

/** A refund that takes several calls numbers them: `<order>-<yyMMddHHmmss>-2` is part of its transaction. */
function wholeOf(reference: string): string {
  return reference.replace(/(?<=-\d{12})-\d{1,2}$/, '');
}

/** A transaction's id begins with the id of its order: `<order>-<yyMMddHHmmss>`. */
function orderOf(reference: string): string[] {
  const match = /^(.+)-\d{12}$/.exec(reference);
  return match?.[1] ? [match[1]] : [];
}
