/** The expected end of a payment under a scenario, and how to recognise it in an enquiry. */
import type { Enquiry, Transaction } from '../../client/client.js';
import type { ProviderName } from '../../simulator/api-call.ts';
import type { ScenarioName } from '../../simulator/behaviours.ts';

export type End = 'completed' | 'reversed' | 'captured-in-part';

/** The order is completed in every case that is not listed. */
const otherEnds: Partial<Record<ScenarioName, Partial<Record<ProviderName, End>>>> = {
  release: { partner: 'reversed', 'bank-gateway': 'reversed' },
  void: { 'bank-gateway': 'reversed' },
  'partial-capture-only': { 'bank-gateway': 'captured-in-part' },
};

export function endOf(scenario: ScenarioName, provider: ProviderName): End {
  return otherEnds[scenario]?.[provider] ?? 'completed';
}

/** Uses the payment where the order is not enough: a payment that is voided later completes its order for a while. */
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
