/** What can happen to a dispute after it was opened, in the words of the partner's events. */

const steps = ['action_required', 'under_review', 'won', 'lost', 'closed'] as const;

/** `action_required` asks the shop for something and leaves the status as it is; the others are the next status. */
export type DisputeStep = (typeof steps)[number];

export const isDisputeStep = (value: unknown): value is DisputeStep =>
  steps.some((step) => step === value);

const phases = ['fraud', 'retrieval', 'chargeback', 'pre_arbitration', 'arbitration'] as const;

export type DisputePhase = (typeof phases)[number];

export const isDisputePhase = (value: unknown): value is DisputePhase =>
  phases.some((phase) => phase === value);

/** One dispute of a scenario. The gateway reports nothing but a loss, so it plays only the plans that are lost. */
export type DisputePlan = {
  /** Of the payment: above 0, at most 1. */
  readonly share: number;
  /** Each follows after a delay. Without any, the dispute stays open. */
  readonly steps: readonly DisputeStep[];
};

export type DisputeWish = {
  /** In minor units; the whole payment unless given. */
  readonly amount?: number | undefined;
  readonly phase?: DisputePhase | undefined;
  /** A week unless given. */
  readonly respondWithinSeconds?: number | undefined;
};

/** At least one minor unit. */
export function claimedBy({ share }: DisputePlan, amount: number): number {
  return Math.max(1, Math.floor(amount * share));
}
