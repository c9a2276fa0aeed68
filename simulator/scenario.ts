/** What happens to one payment at a provider. */
import type { Behaviour, ScenarioName } from './behaviours.ts';

export type Scenario = {
  readonly name: ScenarioName;
  /** Replaces parts of what the name says. */
  readonly behaviour?: Partial<Behaviour>;
  /** Why a payment is declined: a partner's error_reason or a gateway code, in upper or lower case. */
  readonly reason?: string;
  /** How many calls of each payment or refund are affected: by default 2 by provider-down, 1 by slow, else 3. */
  readonly times?: number;
  /** duplicate-storm: the number of copies of each webhook. */
  readonly copies?: number;
  /** slow, late-success, swapped, and every step after an approval: the delay, not scaled. */
  readonly delayMs?: number;
  /** slow: false for a call that is answered late and has no effect. */
  readonly takesEffect?: boolean;
  /** How far lists lag behind, not scaled. */
  readonly lagMs?: number;
  /** truncated: the connection breaks (the default), or half of the body is sent as if it were complete. */
  readonly cut?: 'connection' | 'body';
  /** Webhooks are delayed by a random time within the window and sent in up to `copiesMax` copies. */
  readonly scatter?: { readonly windowMs: number; readonly copiesMax: number };
};
