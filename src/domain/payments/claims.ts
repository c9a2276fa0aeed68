/** What disputes claim of a payment, which cannot be refunded. Contract 17.3, 17.8. */
import { isClaiming } from '../disputes/dispute.ts';
import type { MinorUnits } from '../money/money.ts';
import type { Payment } from './transaction.ts';

/** A dispute whose amount cannot be used claims the whole payment. */
export function claimedAmount(payment: Payment): MinorUnits {
  const claiming = (payment.disputes ?? []).filter(isClaiming);
  if (claiming.length === 0) return 0;
  if (claiming.some((dispute) => !hasUsableAmount(dispute, payment))) return payment.amount ?? 0;
  return claiming.reduce((sum, { amount }) => sum + (amount ?? 0), 0);
}

export function hasUsableAmount(
  { amount, currency }: NonNullable<Payment['disputes']>[number],
  payment: Pick<Payment, 'currency'>,
): boolean {
  return amount !== null && amount > 0 && currency !== null && currency === payment.currency;
}
