/** What changed between two states, and how changes give the state back. Contract 4.7. */
import { isDeepStrictEqual } from 'node:util';

export type Change = { readonly field: string; readonly from: unknown; readonly to: unknown };

export type State = Readonly<Record<string, unknown>>;

/** The fields that differ; a state that was not there before comes from null. */
export function listChanges(before: State | undefined, after: State, except?: string): Change[] {
  const changes: Change[] = [];
  for (const field of Object.keys(after)) {
    if (field === except) continue;
    const from = before?.[field] ?? null;
    const to = after[field] ?? null;
    if (!isSame(from, to)) changes.push({ field, from, to });
  }
  return changes;
}

/** Most fields are plain values, and most of those are equal. */
function isSame(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  const arePlain = typeof before !== 'object' || typeof after !== 'object';
  return !arePlain && isDeepStrictEqual(before, after);
}

/** The state that a list of changes ends in. */
export function replayChanges(changes: readonly Change[]): State {
  return Object.fromEntries(changes.map(({ field, to }) => [field, to]));
}
