/**
 * Explains the fields of a payment: which notices set each of them, and by which rule. It reads the decisions of the fold
 * (`weigh-payment.ts`) and makes none of its own.
 */
import { paymentStatuses } from '../payments/notice.ts';
import {
  type Expected,
  isFinal,
  type Payment,
  type StoredPaymentNotice,
} from '../payments/transaction.ts';
import {
  findCaptureCurrency,
  isCapture,
  isSource,
  type WeighedPayment,
  weighPayment,
} from '../payments/weigh-payment.ts';
import {
  countedCaptures,
  explainCaptures,
  explainVoided,
  isVoidNotice,
} from './explain-captures.ts';
import { explainPaymentStatus } from './explain-payment-status.ts';
import {
  type Explained,
  explainAbsent,
  explainEarliest,
  explainOwn,
  explainPick,
  inRank,
  mentionsOf,
  type Ranking,
} from './provenance.ts';
import type { Rule } from './rules.ts';

type N = StoredPaymentNotice;

/** The fields that views show. All others are constants, or what these are derived from. */
export type PaymentField = Exclude<
  keyof Payment,
  | ('type' | 'transactionId' | 'provider' | 'start' | 'notices' | 'flags')
  | ('recordedAtMs' | 'authorizedAtMs' | 'partialCapture' | 'capturedLimit' | 'unknownRefunds')
>;

/** Takes the payment as the fold alone gives it, before time has passed. */
export function explainPayment(
  payment: Payment,
  expected: Expected,
): Readonly<Record<PaymentField, Explained<N>>> {
  const weighed = weighPayment(payment, expected);
  const ranking = rankingOf(weighed);
  const pick = (name: keyof N) => explainPick(ranking, name);
  return {
    status: explainPaymentStatus(payment, weighed, ranking),
    amount: explainAmount(payment, weighed, ranking),
    currency: explainCurrency(payment, weighed, ranking),
    pspTransactionId: explainPspId(payment, ranking),
    paymentMode: pick('paymentMode'),
    subPaymentMode: pick('subPaymentMode'),
    paymentArn: pick('paymentArn'),
    paymentAcquirer: pick('paymentAcquirer'),
    customerFee: pick('customerFee'),
    offerId: pick('offerId'),
    offerDiscount: explainDiscount(payment, ranking),
    message: pick('message'),
    failure:
      weighed.money.status === 'failed'
        ? pick('failure')
        : explainAbsent(ranking, 'only-while-failed', ({ failure }) => failure),
    startedAtMs: payment.start
      ? explainOwn(ranking, ({ startedAtMs }) => startedAtMs)
      : explainEarliest(ranking, payment.startedAtMs, ({ startedAtMs }) => startedAtMs),
    finishedAtMs: explainFinish(payment, weighed, ranking),
    captures: explainCaptures(payment, ranking),
    voided: explainVoided(payment, ranking),
  };
}

function rankingOf({ all, ranked }: WeighedPayment): Ranking<N> {
  const byKey = new Map(all.map((notice) => [notice.deliveryKey, notice]));
  return {
    ranked,
    ranks: paymentStatuses,
    leftOut: [],
    originalOf: (notice) => byKey.get(notice.deliveryKey) ?? notice,
  };
}

/** The captured amount, or that of the authorisation until all of it is captured. */
function explainAmount(payment: Payment, weighed: WeighedPayment, ranking: Ranking<N>) {
  const { money, authorized, rankedAll } = weighed;
  const isOfCaptures = money.amount !== undefined && money.amount !== authorized;
  if (payment.capturedLimit !== null && money.amount === payment.capturedLimit) {
    // Another record of the provider's order may have the total.
    const own = explainPick(ranking, 'capturedTotal').setBy;
    const setBy = own.length > 0 ? own : explainPick(ranking, 'amount', isSource).setBy;
    return decidedBy('captured-total', setBy, ranking, 'amount');
  }
  if (money.amount !== undefined && (isOfCaptures || money.status === 'succeeded')) {
    return decidedBy(
      'captured-total',
      [...countedCaptures(payment, ranking).values()],
      ranking,
      'amount',
    );
  }
  if (authorized === null) return explainPick(ranking, 'amount', isCapture);
  // The amount of the authorisation is picked among the notices as they were reported.
  const reported = { ...ranking, ranked: rankedAll };
  const own = explainPick(reported, 'amount', isSource);
  if (money.amount === undefined) return own;
  const lost = own.lost.map((mention) =>
    isCapture(mention.notice) ? { ...mention, rule: 'authorized-amount' as const } : mention,
  );
  return { ...own, rule: 'authorized-amount', lost } as const;
}

function explainCurrency(payment: Payment, weighed: WeighedPayment, ranking: Ranking<N>) {
  if (weighed.money.currency === undefined) return explainPick(ranking, 'currency');
  const counted = (payment.captures ?? []).filter(({ amount }) => amount > 0);
  const winner = findCaptureCurrency(counted, payment.notices);
  return decidedBy('captured-total', winner ? [winner] : ['order'], ranking, 'currency');
}

/** Some notices decide together, and every other one that has the field repeats one of them or loses by the same rule. */
function decidedBy(
  rule: Rule,
  setBy: Explained<N>['setBy'],
  ranking: Ranking<N>,
  name: keyof N,
): Explained<N> {
  const keys = new Set(
    setBy.map((setter) => (typeof setter === 'string' ? '' : setter.deliveryKey)),
  );
  const isRepeat = ({ pspTransactionId, [name]: value }: N) =>
    setBy.some(
      (setter) =>
        typeof setter !== 'string' &&
        setter.pspTransactionId === pspTransactionId &&
        setter[name] === value,
    );
  const lost = mentionsOf(ranking, (notice) => notice[name])
    .filter(({ notice }) => notice.deliveryKey === '' || !keys.has(notice.deliveryKey))
    .map((mention) => ({
      ...mention,
      rule: isRepeat(mention.notice) ? ('also-reported' as const) : rule,
    }));
  return { rule, setBy, lost };
}

/** A capture names its payment as its target, and may be all that is known of it. */
function explainPspId({ pspTransactionId: id }: Payment, ranking: Ranking<N>): Explained<N> {
  const own = explainPick(ranking, 'pspTransactionId', (notice) => notice.pspTransactionId === id);
  if (own.setBy.length > 0 || id === null) return { ...own, rule: 'own-record' };
  const naming = explainPick(ranking, 'targetPspId', (notice) => notice.targetPspId === id);
  return { rule: 'own-record', setBy: naming.setBy, lost: own.lost };
}

function explainDiscount({ offerDiscount }: Payment, ranking: Ranking<N>): Explained<N> {
  if (offerDiscount === null) return { rule: 'offer-difference', setBy: [], lost: [] };
  const setters = (['offerId', 'providerOrderAmount'] as const).flatMap(
    (name) => explainPick(ranking, name).setBy,
  );
  return { rule: 'offer-difference', setBy: [...new Set(setters), 'order'], lost: [] };
}

function explainFinish(
  payment: Payment,
  { money }: WeighedPayment,
  ranking: Ranking<N>,
): Explained<N> {
  const { finishedAtMs, captures } = payment;
  const since = ({ statusSinceMs }: N) => statusSinceMs;
  if (!isFinal(money.status)) return explainAbsent(ranking, 'only-when-final', since);
  if (typeof money.finishedAtMs !== 'number') {
    return explainEarliest(ranking, finishedAtMs, since, ({ status }) => status === money.status);
  }
  const last = new Set(
    (captures ?? []).flatMap(({ pspId, amount, atMs }) =>
      amount > 0 && atMs === finishedAtMs ? [pspId] : [],
    ),
  );
  const isLast = (notice: N) => last.has(notice.pspTransactionId) && notice.status === 'succeeded';
  const isVoid = (notice: N) => isVoidNotice(notice) && notice.status === 'reversed';
  const own = inRank(ranking, (notice) => isLast(notice) || isVoid(notice));
  const exact = own.filter((notice) => notice.statusSinceMs === finishedAtMs);
  // A capture without a time of its own has the time of its record.
  const setBy = exact.length > 0 ? exact : own.filter(isCapture);
  return decidedBy('last-capture', setBy, ranking, 'statusSinceMs');
}
