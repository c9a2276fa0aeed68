/** A count that stops at a limit, in the field names of the API. Contract 13.4. */
import type { LimitedCount } from '../../use-cases/review/list-review.ts';

export function countView({ count, isMore }: LimitedCount) {
  return { count, more: isMore };
}
