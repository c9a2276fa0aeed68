/** Explains the captures of a payment, and its void: which records count, and why the others do not. Contract 4.9. */
import type { Capture, Payment, StoredPaymentNotice } from '../payments/transaction.ts';
import { isCapture, isSource } from '../payments/weigh-payment.ts';
import { decideLoss, type Explained, inRank, type Mention, type Ranking } from './provenance.ts';
import type { Rule } from './rules.ts';

type N = StoredPaymentNotice;

/** The notice that gives the amount of each capture that counts, by the provider's id. In the order of the captures. */
export function countedCaptures(
  { captures }: Payment,
  ranking: Ranking<N>,
): ReadonlyMap<string, N> {
  const amounts = new Map<string, N>();
  for (const notice of inRank(ranking, isCapture)) {
    const { pspTransactionId: pspId, amount } = notice;
    if (amount !== undefined && !amounts.has(pspId)) amounts.set(pspId, notice);
  }
  const counted = new Map<string, N>();
  for (const { pspId, amount } of captures ?? []) {
    const notice = amount > 0 ? amounts.get(pspId) : undefined;
    if (notice) counted.set(pspId, notice);
  }
  return counted;
}

export function explainCaptures(payment: Payment, ranking: Ranking<N>): Explained<N> {
  const counted = countedCaptures(payment, ranking);
  const setBy = [...counted.values()];
  const lost = inRank(ranking, isCapture)
    .filter((notice) => counted.get(notice.pspTransactionId) !== notice)
    .map((notice): Mention<N> => {
      const rule = decideCaptureLoss(payment, notice, counted, ranking, ({ amount }) => amount);
      return { notice, value: notice.amount ?? null, rule };
    });
  return { rule: 'captures-counted', setBy, lost };
}

/** Why a notice of a capture does not count. */
export function decideCaptureLoss(
  { captures }: Payment,
  notice: N,
  counted: ReadonlyMap<string, N>,
  ranking: Ranking<N>,
  read: (notice: N) => unknown,
): Rule {
  const winner = counted.get(notice.pspTransactionId);
  if (winner) return decideLoss(ranking, winner, notice, read);
  const own = captures?.find(({ pspId }) => pspId === notice.pspTransactionId);
  return own ? decideUncounted(own, ranking) : 'other-record';
}

function decideUncounted({ status }: Capture, ranking: Ranking<N>): Rule {
  switch (status) {
    case 'pending':
    case 'failed':
      return 'capture-not-done';
    case 'voided':
    case 'voiding':
      return 'capture-voided';
    case 'captured':
      return isOneStep(ranking) ? 'one-step' : 'above-captured-total';
    default:
      return status satisfies never;
  }
}

/** True for a payment that succeeded without a separate capture. */
function isOneStep(ranking: Ranking<N>): boolean {
  return inRank(ranking, (notice) => isSource(notice) && notice.status === 'succeeded').length > 0;
}

export function explainVoided(payment: Payment, ranking: Ranking<N>): Explained<N> {
  const setBy = findVoids(payment, ranking, payment.voided);
  const voids = inRank(ranking, isVoidNotice);
  const lost = voids
    .filter((notice) => !setBy.includes(notice))
    .map((notice): Mention<N> => {
      const rule = decideVoidLoss(payment, notice, setBy[0], ranking);
      return { notice, value: ranking.originalOf(notice).status, rule };
    });
  return { rule: payment.voided === 'pending' ? 'void-pending' : 'voided', setBy, lost };
}

/** The highest notice of a void in this state that cancels the payment itself. */
export function findVoids(payment: Payment, ranking: Ranking<N>, state: Payment['voided']): N[] {
  if (state === null) return [];
  const status = state === 'done' ? 'reversed' : 'reversing';
  return inRank(
    ranking,
    (notice) =>
      isPaymentVoid(payment, notice) && notice.status === status && isLive(notice, ranking),
  ).slice(0, 1);
}

/** Why a notice of a void does not void the payment. `winner` is the one that does. */
export function decideVoidLoss(
  payment: Payment,
  notice: N,
  winner: N | undefined,
  ranking: Ranking<N>,
): Rule {
  const reported = ranking.originalOf(notice);
  if (!isLive(reported, ranking)) return 'void-failed';
  if (!isPaymentVoid(payment, reported)) return 'void-of-capture';
  // As they were reported: a void without effect on the status would rank lower.
  return winner
    ? decideLoss(ranking, ranking.originalOf(winner), reported, ({ status }) => status)
    : 'without-effect';
}

export function isVoidNotice({ record }: N): boolean {
  return record?.startsWith('void') ?? false;
}

/** Void of the payment or of the rest of its authorisation. If a capture is the target, the payment is not. */
export function isPaymentVoid({ captures }: Payment, notice: N): boolean {
  if (!isVoidNotice(notice)) return false;
  if (captures?.some(({ pspId }) => pspId === notice.targetPspId)) return false;
  return notice.record !== 'void-capture' || captures === null;
}

/** A void that was reported as failed, and never as done, has no effect. */
export function isLive({ pspTransactionId }: N, ranking: Ranking<N>): boolean {
  const own = inRank(
    ranking,
    (notice) => isVoidNotice(notice) && notice.pspTransactionId === pspTransactionId,
  ).map((notice) => ranking.originalOf(notice).status);
  return own.includes('reversed') || !own.includes('new');
}
