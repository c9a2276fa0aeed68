/** The invariants in the words that `verify` prints. Contract 9. */
import type { Breach, CheckedRows } from '../../store/upkeep/invariants.ts';

export const invariants = {
  deliveries: 'every delivery is stored once, and is finished or has a time for its next try',
  invoices: 'an invoice has one order',
  status: 'the status of an order follows from its transactions',
  refunds: 'refunds do not exceed what was paid, or the order is flagged',
  captures: 'captured money of a gateway order is the sum of its captures',
  captured: 'no payment succeeded without a capture',
  refundParts: 'a refund that reached the consumer, in whole or in part, has not failed',
  discounts: 'a discount counts only for an order of the provider with the amount of ours',
  refundTotals: 'known refunds account for what the provider has refunded, or it is flagged',
  duplicates: 'one of several successful payments counts, and a duplicate stays one',
  doubleLoss: 'refunds and open or lost disputes do not exceed what was captured, or it is flagged',
  disputes: 'the disputes that are stored are those that the reports of the order give',
  history: 'the history of a transaction ends in its state',
  fold: 'folding the inbox from scratch gives the stored transactions',
  events: 'the events of an order have no gap, and the last one of a transaction states its status',
  figures: 'the figures of a half hour are what its orders and transactions give',
  accounts: 'no row refers to another account',
} as const;

export type NamedBreach = Breach & { readonly invariant: string };

export type CheckedPage = Omit<CheckedRows, 'breaches'> & {
  readonly breaches: readonly NamedBreach[];
  /** Of a page of orders. Those whose bodies or history rows were pruned by age are not fully checked. */
  readonly sums?: Readonly<Record<CheckedSum, number>>;
};

type CheckedSum = 'orders' | 'transactions' | 'prunedInboxes' | 'prunedHistories';

export function nameBreaches(
  invariant: keyof typeof invariants,
  breaches: readonly Breach[],
): NamedBreach[] {
  return breaches.map((breach) => ({ ...breach, invariant: invariants[invariant] }));
}
