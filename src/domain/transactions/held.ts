/** What asks for a person among notices that belong to no transaction. */
import type { ReviewFlag } from '../review-flag.ts';
import type { HeldNotice, Hold } from './records.ts';

const flagsByHold: Readonly<Record<Hold, ReviewFlag | null>> = {
  ambiguous: 'target_unknown',
  contradictory: 'reference_conflict',
  'no-target': null,
  release: null,
};

/** Of all of them, or of those that one delivery brought. */
export function flagsOfHeld(held: readonly HeldNotice[], deliveryKey?: string): ReviewFlag[] {
  const flags = new Set<ReviewFlag>();
  for (const entry of held) {
    const said = 'payment' in entry ? entry.payment : entry.refund;
    const flag = flagsByHold[entry.hold];
    const isAsked = deliveryKey === undefined || said.deliveryKey === deliveryKey;
    if (flag !== null && isAsked) flags.add(flag);
  }
  return [...flags].sort();
}
