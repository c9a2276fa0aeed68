/**
 * The disputes of an order: which payment each belongs to, and what contradicts it. Pure, and a function of the set of
 * notices like everything else. Contract 17.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Dispute, DisputeNotice, StoredDisputeNotice } from '../disputes/dispute.ts';
import { foldDispute, hasConflict } from '../disputes/fold-dispute.ts';
import { claimedAmount, hasUsableAmount } from '../payments/claims.ts';
import { type Payment, setFlag, type Transaction } from '../payments/transaction.ts';
import type { ProviderName } from '../provider-name.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { paymentsOf } from './matching.ts';
import { linkRefunds, openOrMade } from './refund-links.ts';

type OrderDisputes = {
  readonly transactions: readonly Transaction[];
  readonly disputeNotices?: readonly StoredDisputeNotice[];
};

type Folded = { readonly dispute: Dispute; readonly notices: readonly StoredDisputeNotice[] };

/** Gives each payment its disputes, and the flags that follow from them and its refunds. */
export function relateDisputes({
  transactions,
  disputeNotices = [],
}: OrderDisputes): readonly Transaction[] {
  if (disputeNotices.length === 0) return transactions;
  const { byPayment } = placeDisputes(transactions, disputeNotices);
  const { listRefundsOf } = linkRefunds(transactions);
  return transactions.map((entry) => {
    if (entry.type === 'refund') return entry;
    const folded = byPayment.get(entry) ?? [];
    const found = folded.length === 0 ? null : folded.map(({ dispute }) => dispute);
    const disputes = isDeepStrictEqual(found, entry.disputes) ? entry.disputes : found;
    const disputed = disputes === entry.disputes ? entry : { ...entry, disputes };
    const refunded = listRefundsOf(entry).reduce((sum, refund) => sum + openOrMade(refund), 0);
    return withDisputeFlags(disputed, folded, refunded + (entry.unknownRefunds ?? 0));
  });
}

function withDisputeFlags(payment: Payment, folded: readonly Folded[], refunded: number): Payment {
  const claimed = claimedAmount(payment);
  // What was captured of it does not change with time, so readers see the flag that was stored.
  const captured = payment.partialCapture?.captured ?? payment.amount ?? 0;
  const isOfOtherMerchant = (notice: { readonly flags?: readonly ReviewFlag[] }) =>
    notice.flags?.includes('merchant_mismatch') === true;
  const flags = {
    dispute_conflict: folded.some(({ notices }) => hasConflict(notices)),
    dispute_amount_unknown: folded.some(({ dispute }) => !hasUsableAmount(dispute, payment)),
    refund_and_dispute: refunded > 0 && claimed > 0 && refunded + claimed > captured,
    merchant_mismatch:
      payment.notices.some(isOfOtherMerchant) ||
      folded.some(({ notices }) => notices.some(isOfOtherMerchant)),
  };
  // A dispute may have been placed at another payment before, so flags are taken away too.
  let flagged = payment;
  for (const flag of flagNames) flagged = setFlag(flagged, flag, flags[flag]);
  return flagged;
}

const flagNames = [
  'dispute_conflict',
  'dispute_amount_unknown',
  'refund_and_dispute',
  'merchant_mismatch',
] as const;

/** True while the disputed payment is not known, so that the notice must be parked. */
export function lacksDisputedPayment(
  { transactions }: OrderDisputes,
  provider: ProviderName,
  notice: DisputeNotice,
): boolean {
  return listCandidates(transactions, provider, [notice]).length === 0;
}

/** True if it cannot be said which payment a dispute belongs to. A person has to. */
export function hasUnplacedDispute({ transactions, disputeNotices = [] }: OrderDisputes): boolean {
  return disputeNotices.length > 0 && placeDisputes(transactions, disputeNotices).unplaced > 0;
}

/** The notices of each payment's disputes, by the id of the payment. */
export function disputeNoticesByPayment({ transactions, disputeNotices = [] }: OrderDisputes) {
  const { byPayment } = placeDisputes(transactions, disputeNotices);
  return new Map(
    [...byPayment].map(([{ transactionId }, folded]) => [
      transactionId,
      folded.flatMap(({ notices }) => notices),
    ]),
  );
}

function placeDisputes(
  transactions: readonly Transaction[],
  notices: readonly StoredDisputeNotice[],
) {
  const byPayment = new Map<Payment, Folded[]>();
  let unplaced = 0;
  const groups = Map.groupBy(notices, ({ provider, disputeId }) => `${provider} ${disputeId}`);
  for (const own of groups.values()) {
    const payment = choosePayment(transactions, own);
    if (!payment) {
      unplaced += 1;
      continue;
    }
    const known = byPayment.get(payment);
    const folded = { dispute: foldDispute(own), notices: own };
    if (known) known.push(folded);
    else byPayment.set(payment, [folded]);
  }
  for (const folded of byPayment.values()) folded.sort(oldestFirst);
  return { byPayment, unplaced };
}

/** Like a refund that names only the order: it belongs to the one payment that did not fail. Contract 4.9. */
function choosePayment(
  transactions: readonly Transaction[],
  notices: readonly StoredDisputeNotice[],
): Payment | undefined {
  const [{ provider } = { provider: undefined }] = notices;
  const candidates = provider ? listCandidates(transactions, provider, notices) : [];
  const [only, ...others] =
    candidates.length > 1 ? candidates.filter(({ status }) => status !== 'failed') : candidates;
  return others.length === 0 ? only : undefined;
}

function listCandidates(
  transactions: readonly Transaction[],
  provider: ProviderName,
  notices: readonly DisputeNotice[],
): Payment[] {
  const named = new Set(notices.flatMap(({ paymentPspId }) => paymentPspId ?? []));
  const orders = new Set(notices.flatMap(({ paymentPspOrder }) => paymentPspOrder ?? []));
  return paymentsOf(transactions).filter((payment) => {
    if (payment.provider !== provider) return false;
    const ids = [payment.pspTransactionId, ...(payment.captures ?? []).map(({ pspId }) => pspId)];
    if (named.size > 0) return ids.some((id) => id !== null && named.has(id));
    return ids.some((id) => orders.has(id?.slice(0, id.lastIndexOf('|')) ?? ''));
  });
}

function oldestFirst({ dispute: a }: Folded, { dispute: b }: Folded): number {
  return (a.createdAtMs ?? 0) - (b.createdAtMs ?? 0) || (a.disputeId < b.disputeId ? -1 : 1);
}
