/** The flags of held notices. */

import type { HeldNotice, Hold } from '../payments/records.ts';
import type { ReviewFlag } from '../review-flag.ts';

const flagsByHold: Readonly<Record<Hold, ReviewFlag | null>> = {
  ambiguous: 'target_unknown',
  contradictory: 'reference_conflict',
  'no-target': null,
  release: null,
};

/** The flags of all held notices, or of those from one delivery. */
export function flagsOfHeld(held: readonly HeldNotice[], deliveryKey?: string): ReviewFlag[] {
  const flags = new Set<ReviewFlag>();
  for (const entry of held) {
    const notice = 'payment' in entry ? entry.payment : entry.refund;
    const flag = flagsByHold[entry.hold];
    const isIncluded = deliveryKey === undefined || notice.deliveryKey === deliveryKey;
    if (flag !== null && isIncluded) flags.add(flag);
  }
  return [...flags].sort();
}
