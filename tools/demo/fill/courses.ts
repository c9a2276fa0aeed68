/**
 * What becomes of an order, as a table: how the consumer pays, what the provider does, and how often it happens in a
 * hundred orders. The mix is that of a shop whose payments mostly succeed.
 */

import type { ProviderName } from '../../../simulator/api-call.ts';
import type { Scenario } from '../../../simulator/scenario.ts';

export type CourseName = keyof typeof table;

export type Course = {
  readonly perHundred: number;
  /**
   * `pays`, `pays-twice` in two tabs, `fails-first` and pays then, `gives-up` after failures, `cancels` on the payment
   * page, `leaves` it open, `never-starts`, or pays another amount `at-the-counter`.
   */
  readonly consumer:
    | 'pays'
    | 'pays-twice'
    | 'fails-first'
    | 'gives-up'
    | 'cancels'
    | 'leaves'
    | 'never-starts'
    | 'at-the-counter';
  readonly scenario?: Scenario['name'];
  /** A scenario that only one of the providers plays. */
  readonly provider?: ProviderName;
  /** What was paid stays paid, so that it can be refunded. */
  readonly isRefundable?: boolean;
};

const paid = { perHundred: 53, consumer: 'pays', isRefundable: true } as const;
const gateway = 'bank-gateway';

const table = {
  paid,
  'fails-first': { ...paid, perHundred: 8, consumer: 'fails-first' },
  'gives-up': { perHundred: 9, consumer: 'gives-up' },
  cancels: { perHundred: 3, consumer: 'cancels' },
  leaves: { perHundred: 7, consumer: 'leaves' },
  'never-starts': { perHundred: 7, consumer: 'never-starts' },
  'second-try-on-page': { ...paid, perHundred: 1.5, scenario: 'second-attempt' },
  'late-success': { ...paid, perHundred: 0.8, scenario: 'late-success' },
  'lost-webhook': { ...paid, perHundred: 1.5, scenario: 'lost-webhook' },
  swapped: { ...paid, perHundred: 0.8, scenario: 'swapped' },
  repeated: { ...paid, perHundred: 0.5, scenario: 'duplicate-storm' },
  'wrong-signature': { ...paid, perHundred: 0.5, scenario: 'wrong-signature' },
  'cut-off': { ...paid, perHundred: 0.5, scenario: 'truncated' },
  'captured-later': { ...paid, perHundred: 1, scenario: 'manual-capture' },
  offer: { ...paid, perHundred: 1.2, scenario: 'offer', provider: 'partner' },
  'two-captures': { ...paid, perHundred: 0.5, scenario: 'partial-capture', provider: gateway },
  released: { perHundred: 0.4, consumer: 'pays', scenario: 'release' },
  'captured-in-part': {
    perHundred: 0.4,
    consumer: 'pays',
    scenario: 'partial-capture-only',
    provider: gateway,
  },
  voided: { perHundred: 0.4, consumer: 'pays', scenario: 'void', provider: gateway },
  'charged-back': { perHundred: 0.4, consumer: 'pays', scenario: 'chargeback', provider: gateway },
  'paid-twice': { perHundred: 0.6, consumer: 'pays-twice' },
  'other-amount': { perHundred: 0.4, consumer: 'at-the-counter', provider: 'partner' },
} as const satisfies Record<string, Course>;

export const courseNames = Object.keys(table) as CourseName[];

export function courseOf(name: CourseName): Course {
  return table[name];
}
