/** Compares two states field by field, and rebuilds a state from its changes. Contract 4.7. */
import { isDeepStrictEqual } from 'node:util';

export type Change = { readonly field: string; readonly from: unknown; readonly to: unknown };

export type HistoryEntry = {
  /** Null for a change of the order itself. */
  readonly transactionId: string | null;
  readonly changes: readonly Change[];
  /** The delivery or API call that caused the change. */
  readonly cause: string;
  readonly happenedAt: Date;
  readonly call?: CallRecord | null;
};

/** A call to a provider, without its request and response bodies. */
export type CallRecord = {
  readonly operation: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly tries: number;
  readonly httpStatus: number | null;
};

export type State = Readonly<Record<string, unknown>>;

/** The fields that differ. Without a state before, every field changes from null. */
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

/** Compares primitive values directly, because most fields have equal ones and a deep comparison is slow. */
function isSame(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  const arePlain = typeof before !== 'object' || typeof after !== 'object';
  return !arePlain && isDeepStrictEqual(before, after);
}

export function replayChanges(changes: readonly Change[]): State {
  const state: Record<string, unknown> = {};
  for (const { field, to } of changes) state[field] = to;
  return state;
}

export type Cause =
  | { readonly kind: 'delivery'; readonly deliveryId: string }
  | { readonly kind: 'call'; readonly operation: string }
  | { readonly kind: 'request'; readonly name: string }
  | { readonly kind: 'operator'; readonly command: string }
  | { readonly kind: 'time' };

const operations = [
  'start-payment',
  'start-intent',
  'start-refund',
  'start-capture',
  'start-void',
  'fetch-status',
  'fetch-dispute',
];

export function causeOf(text: string): Cause {
  if (text.startsWith('dlv_')) return { kind: 'delivery', deliveryId: text };
  if (operations.includes(text)) return { kind: 'call', operation: text };
  if (text === 'time') return { kind: 'time' };
  if (text === 'rebuild') return { kind: 'operator', command: 'order rebuild' };
  return { kind: 'request', name: text };
}
