/**
 * Disputes: a consumer asks the bank to take a payment back. What a provider reports about one is a notice of its own and
 * never changes the status of the payment. Contract 17.
 */
import type { MinorUnits } from '../money/money.ts';
import type { ProviderName } from '../provider-name.ts';
import type { ReviewFlag } from '../review-flag.ts';

/** The last three are final, the highest rank last. Contract 17.2. */
export const disputeStatuses = ['open', 'under_review', 'closed', 'won', 'lost'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

type FinalDisputeStatus = Exclude<DisputeStatus, 'open' | 'under_review'>;

export function isFinalDispute(status: DisputeStatus): status is FinalDisputeStatus {
  return status !== 'open' && status !== 'under_review';
}

export function waitsForShop({ status, actionRequired }: Dispute): boolean {
  return status === 'open' || (status === 'under_review' && actionRequired);
}

/** What is claimed of the payment, and what is known about the claim. */
type DisputeFields = {
  readonly phase: string;
  readonly reasonCode: string;
  readonly reason: string;
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly amountDeducted: MinorUnits;
  readonly respondByMs: number;
  readonly createdAtMs: number;
};

export type DisputeNotice = Partial<DisputeFields> & {
  readonly disputeId: string;
  /** Absent from a notice that only asks for an answer. */
  readonly status?: DisputeStatus;
  readonly asksForAction?: true;
  /** It was read from the provider and is no event, so what an event asked for stays open. */
  readonly isRead?: true;
  readonly occurredAtMs?: number;
  /** The disputed payment or capture; a chargeback may name only the provider's order. */
  readonly paymentPspId?: string;
  readonly paymentPspOrder?: string;
  readonly flags?: readonly ReviewFlag[];
};

export type StoredDisputeNotice = DisputeNotice & {
  readonly provider: ProviderName;
  readonly deliveryKey: string;
};

export type Dispute = { readonly [Field in keyof DisputeFields]: DisputeFields[Field] | null } & {
  readonly disputeId: string;
  readonly status: DisputeStatus;
  readonly actionRequired: boolean;
};

/** What an open or a lost dispute claims cannot be refunded, or the shop loses it twice. Contract 17.3. */
export function isClaiming({ status }: Dispute): boolean {
  return status !== 'won' && status !== 'closed';
}
