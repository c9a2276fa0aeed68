/** What both providers share: the clock, the seed, the shops, the scenarios, scheduled work and the webhook sender. */

import type { Call, ProviderName } from './api-call.ts';
import type { DisputeStep } from './dispute-steps.ts';
import type { FaultOf } from './faults.ts';
import type { Money } from './money-moved.ts';
import type { Scenarios } from './scenarios.ts';
import type { Schedule } from './schedule.ts';
import type { Shops } from './shops.ts';
import type { WebhookSender } from './webhook-sender.ts';

export type World = {
  readonly seed: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (line: string) => void;
  readonly shops: Shops;
  readonly scenarios: Scenarios;
  readonly schedule: Schedule;
  readonly webhooks: WebhookSender;
  readonly beforeAnswer: (call: Call) => Promise<void>;
  readonly faultOf: FaultOf;
  /** By how much lists lag behind for these references. */
  readonly lagMsOf: (references: readonly string[]) => number;
  readonly money: Money;
};

/** A payment as it happened at the provider. */
export type LedgerPayment = {
  readonly provider: ProviderName;
  readonly id: string;
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: 'created' | 'authorized' | 'captured' | 'reversed' | 'failed';
  /** What was captured and not voided, also while more can be captured. */
  readonly captured: number;
  /** What the shop requested; a partial capture or an offer captures less. */
  readonly asked: number;
  /** The discount of a partner's offer. */
  readonly discount: number;
  /** What the consumer paid on top, for the partner; part of the amount. */
  readonly fee: number;
};

/** True if the payment covers the requested amount. */
export function paysInFull({ status, amount, discount, fee, asked }: LedgerPayment): boolean {
  return status === 'captured' && amount - fee + discount === asked;
}

/** A claim of a consumer's bank. The gateway reports only claims that are lost. */
export type LedgerDispute = Omit<LedgerRefund, 'status'> & {
  readonly status: 'open' | Exclude<DisputeStep, 'action_required'>;
};

export type LedgerRefund = {
  readonly provider: ProviderName;
  readonly id: string;
  readonly paymentId: string;
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: 'pending' | 'processed' | 'failed';
};
