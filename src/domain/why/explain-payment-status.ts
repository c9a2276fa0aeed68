/** Explains the status of a payment: the highest report, the captures or a void decide. Contract 4.2, 4.9. */
import type { Payment, StoredPaymentNotice } from '../payments/transaction.ts';
import { isCapture, type WeighedPayment } from '../payments/weigh-payment.ts';
import {
  countedCaptures,
  decideCaptureLoss,
  decideVoidLoss,
  findVoids,
  isLive,
  isVoidNotice,
} from './explain-captures.ts';
import { decideLoss, type Explained, inRank, type Mention, type Ranking } from './provenance.ts';
import type { Rule } from './rules.ts';

type N = StoredPaymentNotice;

export function explainPaymentStatus(
  payment: Payment,
  { money }: WeighedPayment,
  ranking: Ranking<N>,
): Explained<N> {
  const { rule } = money;
  const counted = countedCaptures(payment, ranking);
  const setBy = findDeciding(payment, rule, counted, ranking);
  const deciding = new Set(setBy);
  const lost = inRank(ranking, () => true)
    .filter((notice) => !deciding.has(notice))
    .map((notice): Mention<N> => {
      const loss = decideStatusLoss(payment, rule, { setBy, deciding, counted }, notice, ranking);
      return { notice, value: ranking.originalOf(notice).status, rule: loss };
    });
  return { rule, setBy, lost };
}

type StatusRule = WeighedPayment['money']['rule'];

type Counted = ReadonlyMap<string, N>;

function findDeciding(
  payment: Payment,
  rule: StatusRule,
  counted: Counted,
  ranking: Ranking<N>,
): N[] {
  switch (rule) {
    case 'highest-status':
    case 'paid-in-part':
      return findHighest(payment, ranking);
    case 'captured-in-full':
    case 'captured-in-part':
      return [...counted.values()];
    case 'captured-and-rest-voided':
      return [...counted.values(), ...findVoids(payment, ranking, 'done')];
    case 'captured-unknown-amount':
      return inRank(
        ranking,
        (notice) =>
          isCapture(notice) && notice.status === 'succeeded' && notice.amount === undefined,
      );
    case 'voided':
      return findVoids(payment, ranking, 'done');
    case 'void-pending':
      return findPending(payment, ranking);
    default:
      return rule satisfies never;
  }
}

/** A report of the payment itself, or a capture: that implies an authorisation. */
function findHighest({ status }: Payment, ranking: Ranking<N>): N[] {
  const own = inRank(
    ranking,
    (notice) => !isCapture(notice) && !isVoidNotice(notice) && notice.status === status,
  );
  const implied = status === 'authorized' ? 'succeeded' : status;
  const captures = inRank(ranking, (notice) => isCapture(notice) && notice.status === implied);
  return [...own, ...captures].slice(0, 1);
}

/** A pending void of the payment, or else of one of its captures. */
function findPending(payment: Payment, ranking: Ranking<N>): N[] {
  if (payment.voided === 'pending') return findVoids(payment, ranking, 'pending');
  return inRank(
    ranking,
    (notice) => isVoidNotice(notice) && notice.status === 'reversing' && isLive(notice, ranking),
  ).slice(0, 1);
}

type Decision = {
  readonly setBy: readonly N[];
  readonly deciding: ReadonlySet<N>;
  readonly counted: Counted;
};

function decideStatusLoss(
  payment: Payment,
  rule: StatusRule,
  { setBy, deciding, counted }: Decision,
  notice: N,
  ranking: Ranking<N>,
): Rule {
  const [winner] = setBy;
  if (isVoidNotice(notice)) {
    return decideVoidLoss(payment, notice, setBy.find(isVoidNotice), ranking);
  }
  if (isCapture(notice)) {
    const own = counted.get(notice.pspTransactionId);
    // A capture that counts loses against what else decides, or against another report of the same capture.
    const isBeaten = own !== undefined && !deciding.has(own);
    return isBeaten ? rule : decideCaptureLoss(payment, notice, counted, ranking, statusOf);
  }
  if (rule !== 'highest-status' || !winner || isCapture(winner)) return rule;
  return decideLoss(ranking, winner, notice, statusOf);
}

function statusOf({ status }: N) {
  return status;
}
