/** How a payment under a scenario ends at a provider, and how to tell from an enquiry that it has. */
import type { Enquiry, Transaction } from '../client/client.js';
import type { ScenarioName } from '../simulator/behaviours.ts';
import type { ProviderName } from '../simulator/world.ts';

export type End = 'completed' | 'reversed' | 'captured-in-part';

/** Wherever nothing is said, the order is completed in the end. */
const otherEnds: Partial<Record<ScenarioName, Partial<Record<ProviderName, End>>>> = {
  release: { partner: 'reversed', 'bank-gateway': 'reversed' },
  void: { 'bank-gateway': 'reversed' },
  'partial-capture-only': { 'bank-gateway': 'captured-in-part' },
};

export function endOf(scenario: ScenarioName, provider: ProviderName): End {
  return otherEnds[scenario]?.[provider] ?? 'completed';
}

/** By the payment itself where the order is no help: a voided one completes its order for a while. */
export function hasEnded(end: End, { order }: Enquiry, own: Transaction | undefined): boolean {
  switch (end) {
    case 'completed':
      return order.status === 'completed';
    case 'reversed':
      return own?.payment_status === 'reversed';
    case 'captured-in-part':
      return own?.payment_status === 'succeeded';
    default:
      return end satisfies never;
  }
}
