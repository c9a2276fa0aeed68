/** Counts that stop at a limit, so that counting stays cheap however much there is. */

/** A count, which is a minimum if there are more. */
export type LimitedCount = { readonly count: number; readonly isMore: boolean };

export const countMax = 200;

export function limited(count: number, isMore = false): LimitedCount {
  return { count: Math.min(count, countMax), isMore: isMore || count > countMax };
}
