/** Parts that several replies of the dashboard have: amounts, counts, providers, and what viewers see. */
import { type Dispute, isClaiming, waitsForShop } from '../../domain/disputes/dispute.ts';
import { displayExponent } from '../../domain/money/currency.ts';
import { formatAmount, formatDecimal, type MinorUnits } from '../../domain/money/money.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { LimitedCount } from '../../domain/reports/limited-count.ts';
import { includesRole, type Role } from '../../domain/users/role.ts';
import { deliveryProviders } from '../../use-cases/inbox/receive-delivery.ts';

/** Decimal texts: browsers format them exactly, and no number of theirs could hold a large sum. Contract 13.4. */
export function amountText(minor: MinorUnits, currency: string): string {
  return formatAmount(minor, displayExponent(currency));
}

export function amountsIn(currency: string | null) {
  return (minor: MinorUnits | null) =>
    minor === null || currency === null ? null : amountText(minor, currency);
}

export function isoOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

export function sumText(minor: bigint, currency: string): string {
  return formatDecimal({ digits: minor, scale: displayExponent(currency) });
}

export function countView({ count, isMore }: LimitedCount) {
  return { count, more: isMore };
}

/** By the name that filters take, and by the one that people read. */
export function providerView(provider: ProviderName) {
  const known = deliveryProviders.find(({ name }) => name === provider);
  return { provider, provider_name: known?.displayName ?? provider };
}

export function disputeView(dispute: Dispute) {
  const text = amountsIn(dispute.currency);
  return {
    dispute_id: dispute.disputeId,
    status: dispute.status,
    phase: dispute.phase,
    reason_code: dispute.reasonCode,
    reason: dispute.reason,
    amount: text(dispute.amount),
    currency: dispute.currency,
    amount_deducted: text(dispute.amountDeducted),
    respond_by: isoOf(dispute.respondByMs),
    action_required: dispute.actionRequired,
    /** Whose turn it is: the shop's, or that of nobody or the bank. */
    waits_for_shop: waitsForShop(dispute),
    /** What it claims cannot be refunded. */
    claims: isClaiming(dispute),
    created_at: isoOf(dispute.createdAtMs),
  };
}

/** A viewer sees consumers as an order token does. */
export function isMaskedFor(role: Role): boolean {
  return !includesRole(role, 'operator');
}

/** A path may contain a secret of the shop, so viewers see only the origin. Contract 13.7. */
export function shownUrl(url: string, role: Role): string {
  return isMaskedFor(role) ? new URL(url).origin : url;
}
