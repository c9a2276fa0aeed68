/**
 * Which refunds belong to which payment, what was paid, refunded and can still be refunded of an order, and how a refund
 * is split.
 */
import type { MinorUnits } from '../money/money.ts';
import { countedOf } from '../payments/captures.ts';
import { claimedAmount } from '../payments/claims.ts';
import {
  type Capture,
  netAmount,
  type Payment,
  type Refund,
  type Transaction,
} from '../payments/transaction.ts';
import { byPspId, paymentsOf, pspKeyOf, pspKeysOf, refundsOf } from './matching.ts';
import { movedAmount, refundAmount } from './tally.ts';

type RefundLinks = ReturnType<typeof linkRefunds>;

/** Finds the links between all payments and refunds of an order once, because an order may have many. */
export function linkRefunds(transactions: readonly Transaction[]) {
  const payments = paymentsOf(transactions);
  const byKey = mapByPspKey(payments);
  const byPspOrder = new Map<string, Payment | undefined>();
  const findByPspOrder = (refund: Refund) => {
    const key = `${refund.provider} ${refund.paymentPspOrder}`;
    if (!byPspOrder.has(key)) byPspOrder.set(key, choosePaymentOfOrder(refund, payments));
    return byPspOrder.get(key);
  };
  // Some providers report only their own order.
  const findPaymentOf = (refund: Refund): Payment | undefined => {
    const { provider, paymentPspId: pspTransactionId } = refund;
    return pspTransactionId === null
      ? findByPspOrder(refund)
      : byKey.get(pspKeyOf({ provider, pspTransactionId }));
  };
  const refundsByPayment = Map.groupBy(refundsOf(transactions), findPaymentOf);
  const listRefundsOf = (payment: Payment) => refundsByPayment.get(payment) ?? [];
  return { findPaymentOf, listRefundsOf };
}

function mapByPspKey(payments: readonly Payment[]): ReadonlyMap<string, Payment> {
  const byKey = new Map<string, Payment>();
  for (const payment of payments) {
    for (const key of pspKeysOf(payment)) {
      if (!byKey.has(key)) byKey.set(key, payment);
    }
  }
  return byKey;
}

/** A refund that references only the order is applied only if exactly one payment did not fail. Contract 4.9. */
function choosePaymentOfOrder({ provider, paymentPspOrder }: Refund, payments: readonly Payment[]) {
  return payments
    .filter(
      (payment) =>
        payment.provider === provider &&
        payment.pspTransactionId?.startsWith(`${paymentPspOrder}|`),
    )
    .sort(
      (a, b) => Number(a.status === 'failed') - Number(b.status === 'failed') || byPspId(a, b),
    )[0];
}

/** The latest by the provider's time, then by id. Contract 5.3. */
export function findLatestRefundOf(payment: Payment, links: RefundLinks): Refund | undefined {
  return links
    .listRefundsOf(payment)
    .toSorted((a, b) => (b.startedAtMs ?? 0) - (a.startedAtMs ?? 0) || byPspId(b, a))[0];
}

/**
 * A full refund returns the whole payment, with or without the consumer's fee. If the payment is not known, the
 * amount is compared with the order's total.
 */
export function refundTypeOf(refund: Refund, links: RefundLinks, orderTotal: number) {
  const payment = links.findPaymentOf(refund);
  const isKnown = payment !== undefined && payment.amount !== null;
  const whole = isKnown ? [payment.amount, netAmount(payment)] : [orderTotal];
  return refund.amount !== null && whole.includes(refund.amount) ? 'full_refund' : 'partial_refund';
}

/**
 * What was paid, refunded and can be refunded, in the currency of the order, without the consumers' fees. Enquiries,
 * figures and refunds all use it, so that they agree. Contract 4.6, 4.11, 4.15.
 */
export function refundBalance(transactions: readonly Transaction[], currency: string) {
  const links = linkRefunds(transactions);
  const leftOf = (payment: Payment) => {
    const known = sum(links.listRefundsOf(payment), openOrMade) + (payment.unknownRefunds ?? 0);
    return Math.max(0, netAmount(payment) - known - claimedAmount(payment));
  };
  const payments = paymentsOf(transactions).filter(
    (payment) => payment.status === 'succeeded' && payment.currency === currency,
  );
  // A refund without a currency is in the order's.
  const refunds = refundsOf(transactions).filter(
    (refund) => (refund.currency ?? currency) === currency,
  );
  // Each payment has at least 0 left: what one returned in excess does not lower another.
  const left = sum(payments, leftOf);
  const ofNoPayment = refunds.filter((refund) => !links.findPaymentOf(refund));
  const available = Math.max(0, left - sum(ofNoPayment, openOrMade));
  return {
    paid: sum(payments, netAmount),
    refunded: sum(refunds, (refund) => movedAmount(refund, currency)),
    /** What disputes claim of the payments that succeeded. */
    claimed: sum(payments, claimedAmount),
    pending: sum(refunds, (refund) => refundAmount(refund, 'pending')),
    available,
    availableOf: (payment: Payment) =>
      payment.currency === currency ? Math.min(leftOf(payment), available) : leftOf(payment),
  };
}

export function openOrMade(refund: Refund): MinorUnits {
  return refundAmount(refund, 'succeeded') + refundAmount(refund, 'pending');
}

function sum<Entry>(entries: readonly Entry[], amountOf: (entry: Entry) => MinorUnits): MinorUnits {
  return entries.reduce((total, entry) => total + amountOf(entry), 0);
}

/**
 * Splits a refund over the captures of a payment, because some providers refund one capture at a time. The amount is
 * taken from captures that are not fully refunded, oldest first. Contract 4.12.
 */
export function splitRefund(
  transactions: readonly Transaction[],
  payment: Payment & { readonly pspTransactionId: string },
  amount: MinorUnits,
): { readonly paymentPspId: string; readonly amount: MinorUnits }[] {
  const captures = countedOf(payment.captures);
  const remaining = remainingOf(captures, linkRefunds(transactions).listRefundsOf(payment));
  const shares = [];
  let open = amount;
  for (const { pspId } of captures) {
    const share = Math.min(open, remaining.get(pspId) ?? 0);
    if (share > 0) shares.push({ paymentPspId: pspId, amount: share });
    open -= share;
  }
  if (open === 0) return shares;
  // Without captures, or if the known ones do not cover the amount, it is one refund.
  return [{ paymentPspId: captures[0]?.pspId ?? payment.pspTransactionId, amount }];
}

/** The unrefunded amount of each capture. Refunds that reference only the payment are subtracted last, oldest first. */
function remainingOf(captures: readonly Capture[], refunds: readonly Refund[]) {
  const remaining = new Map(captures.map(({ pspId, amount }) => [pspId, amount]));
  let unassigned = 0;
  for (const { pspId, amount } of refunds.flatMap(sharesOf)) {
    const before = pspId === null ? undefined : remaining.get(pspId);
    const taken = Math.min(amount, before ?? 0);
    if (pspId !== null && before !== undefined) remaining.set(pspId, before - taken);
    unassigned += amount - taken;
  }
  for (const { pspId } of captures) {
    const before = remaining.get(pspId) ?? 0;
    const taken = Math.min(unassigned, before);
    remaining.set(pspId, before - taken);
    unassigned -= taken;
  }
  return remaining;
}

function sharesOf({ parts, status, amount, paymentPspId }: Refund) {
  const shares = parts
    ? parts.map((part) => ({ ...part, pspId: part.capturePspId }))
    : [{ status, amount: amount ?? 0, pspId: paymentPspId }];
  return shares.filter((share) => share.status !== 'failed');
}
