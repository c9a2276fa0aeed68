/** What happens to one payment at a provider. */
import type { ScenarioName } from './behaviours.ts';

export type Scenario = {
  readonly name: ScenarioName;
  /** Why a payment is declined: a partner's error_reason or a gateway code, in upper or lower case. */
  readonly reason?: string;
  /** provider-down, slow: how many calls of each payment or refund are affected (by default 2 and 1). */
  readonly times?: number;
  /** duplicate-storm: the number of copies of each webhook. */
  readonly copies?: number;
  /** slow, late-success, swapped, and every step after an approval: the delay, not scaled. */
  readonly delayMs?: number;
  /** slow: false for a call that is answered late and has no effect. */
  readonly takesEffect?: boolean;
  /** truncated: the connection breaks (the default), or half of the body is sent as if it were complete. */
  readonly cut?: 'connection' | 'body';
  /** Webhooks are delayed by a random time within the window and sent in up to `copiesMax` copies. */
  readonly scatter?: { readonly windowMs: number; readonly copiesMax: number };
};
