/**
 * What a traced fold writes down about the fields of a payment that its captures and voids decide: status, amount, end,
 * captures and void. Contract 4.9.
 */
import { findAmountOf } from './captures.ts';
import { becausePicked, becauseTogether, decided, decideLoss } from './fold.ts';
import {
  type Decision,
  findHighest,
  type Ranking,
  reportedStatusOf,
  type Weighed,
} from './ranking.ts';
import {
  isCapture,
  isOneStep,
  isSource,
  isVoidRecord,
  ownId,
  targetsOf,
  voidStateOf,
  voidsPayment,
} from './records.ts';
import type { Rule } from './rules.ts';
import type { StoredPaymentNotice, VoidState } from './transaction.ts';
import { countedOf, impliedStatus, type Money, type UnfoldedPayment } from './weigh-payment.ts';

type N = Weighed<StoredPaymentNotice>;
type Ranked = Ranking<StoredPaymentNotice>;
type Because = Decision<StoredPaymentNotice>;

export function becauseOfStatus(
  payment: UnfoldedPayment,
  { status, rule }: Money,
  ranking: Ranked,
): Because {
  const counted = countedNotices(payment);
  const setBy = findDeciding(payment, status, rule, ranking);
  const [winner] = setBy;
  return decided(ranking, rule, setBy, reportedStatusOf, (notice) => {
    if (isVoidRecord(notice))
      return decideVoidLoss(payment, notice, setBy.find(isVoidRecord), ranking);
    if (isCapture(notice)) {
      const own = counted.get(notice.pspTransactionId);
      // A capture that counts loses against what else decides, or against another report of the same capture.
      const isBeaten = own !== undefined && !setBy.includes(own);
      return isBeaten ? rule : decideCaptureLoss(payment, notice, own, ranking, statusOf);
    }
    if (rule !== 'highest-status' || !winner || isCapture(winner)) return rule;
    return decideLoss(ranking, winner, notice, statusOf);
  });
}

function statusOf({ status }: N) {
  return status;
}

/** The notices that lead to the status by this rule. */
function findDeciding(
  payment: UnfoldedPayment,
  status: Money['status'],
  rule: Money['rule'],
  ranking: Ranked,
): N[] {
  const counted = () => [...countedNotices(payment).values()];
  switch (rule) {
    case 'highest-status':
    case 'paid-in-part':
      return findReport(payment, status, ranking);
    case 'captured-in-full':
    case 'captured-in-part':
      return counted();
    case 'captured-and-rest-voided':
      return [...counted(), ...findVoid(payment, 'done', ranking)];
    case 'captured-unknown-amount':
      return ranking.highestFirst.filter(
        (notice) =>
          isCapture(notice) &&
          reportedStatusOf(notice) === 'succeeded' &&
          notice.amount === undefined,
      );
    case 'voided':
      return findVoid(payment, 'done', ranking);
    case 'void-pending':
      return payment.voided === 'pending'
        ? findVoid(payment, 'pending', ranking)
        : first(ranking, (notice) => isInState(payment, notice, 'pending'));
    default:
      return rule satisfies never;
  }
}

/** A report of the payment itself, or of a capture that implies the status. */
function findReport({ captures }: UnfoldedPayment, status: Money['status'], ranking: Ranked): N[] {
  const own = first(
    ranking,
    (notice) => !isCapture(notice) && !isVoidRecord(notice) && notice.status === status,
  );
  const implying = (captures ?? []).filter((capture) => impliedStatus(capture) === status);
  const ids = new Set(implying.map(({ pspId }) => pspId));
  return own.length > 0
    ? own
    : first(ranking, (notice) => isCapture(notice) && ids.has(notice.pspTransactionId));
}

/** The highest of which this is true, as a list. */
function first({ highestFirst }: Ranked, is: (notice: N) => boolean): N[] {
  return highestFirst.filter(is).slice(0, 1);
}

/** The notice that gives the amount of each capture that counts, by the provider's id. In the order of the captures. */
function countedNotices({ captures, notices }: UnfoldedPayment): ReadonlyMap<string, N> {
  const reports = Map.groupBy(notices.filter(isCapture), ownId);
  return new Map(
    countedOf(captures).flatMap(({ pspId }) => {
      const notice = findAmountOf(reports.get(pspId) ?? []);
      return notice ? [[pspId, notice]] : [];
    }),
  );
}

export function becauseOfAmount(
  payment: UnfoldedPayment,
  { amountRule }: Money,
  ranking: Ranked,
  reported: Ranked,
): Because {
  if (amountRule === 'authorized-amount') {
    const winner = findHighest(reported, 'amount', isSource);
    const { setBy, lost } = becausePicked(reported, 'amount', winner, isSource);
    const losses = lost.map((mention) =>
      isCapture(mention.notice) ? { ...mention, rule: amountRule } : mention,
    );
    return { rule: amountRule, setBy, lost: losses };
  }
  // The total limits a payment made in one step. Another record of the provider's order may have it.
  const limiting =
    payment.capturedLimit === null
      ? undefined
      : (findHighest(ranking, 'capturedTotal') ?? findHighest(ranking, 'amount', isSource));
  const setBy = limiting ? [limiting] : [...countedNotices(payment).values()];
  return becauseTogether(ranking, 'captured-total', setBy, 'amount');
}

/** The payment was finished by its last capture, or by the void of the rest. */
export function becauseOfEnd(
  { captures }: UnfoldedPayment,
  finishedAtMs: number,
  ranking: Ranked,
): Because {
  const last = new Set(
    countedOf(captures).flatMap(({ pspId, atMs }) => (atMs === finishedAtMs ? [pspId] : [])),
  );
  const own = ranking.highestFirst.filter(
    (notice) =>
      (last.has(notice.pspTransactionId) && reportedStatusOf(notice) === 'succeeded') ||
      (isVoidRecord(notice) && reportedStatusOf(notice) === 'reversed'),
  );
  const exact = own.filter((notice) => notice.statusSinceMs === finishedAtMs);
  // A capture without a time of its own has the time of its record.
  const setBy = exact.length > 0 ? exact : own.filter(isCapture);
  return becauseTogether(ranking, 'last-capture', setBy, 'statusSinceMs');
}

export function becauseOfCaptures(payment: UnfoldedPayment, ranking: Ranked): Because {
  const counted = countedNotices(payment);
  const amountOf = (notice: N) => (isCapture(notice) ? (notice.amount ?? null) : undefined);
  return decided(ranking, 'captures-counted', [...counted.values()], amountOf, (notice) =>
    decideCaptureLoss(payment, notice, counted.get(notice.pspTransactionId), ranking, amountOf),
  );
}

/** Why a notice of a capture does not count. `winner` is the notice by which the same capture counts. */
function decideCaptureLoss(
  { captures, notices }: UnfoldedPayment,
  notice: N,
  winner: N | undefined,
  ranking: Ranked,
  read: (notice: N) => unknown,
): Rule {
  if (winner) return decideLoss(ranking, winner, notice, read);
  const own = captures?.find(({ pspId }) => pspId === notice.pspTransactionId);
  if (!own) return 'other-record';
  if (own.status === 'captured') return isOneStep(notices) ? 'one-step' : 'above-captured-total';
  const isVoided = own.status === 'voided' || own.status === 'voiding';
  return isVoided ? 'capture-voided' : 'capture-not-done';
}

export function becauseOfVoid(payment: UnfoldedPayment, ranking: Ranked): Because {
  const { voided } = payment;
  const setBy = voided === null ? [] : findVoid(payment, voided, ranking);
  const read = (notice: N) => (isVoidRecord(notice) ? reportedStatusOf(notice) : undefined);
  const rule = voided === 'pending' ? 'void-pending' : 'voided';
  return decided(ranking, rule, setBy, read, (notice) =>
    decideVoidLoss(payment, notice, setBy[0], ranking),
  );
}

/** The highest notice of a void in this state that cancels the payment itself. */
function findVoid(payment: UnfoldedPayment, state: VoidState, ranking: Ranked): N[] {
  return first(
    ranking,
    (notice) => isInState(payment, notice, state) && isOfPayment(payment, notice),
  );
}

/** A void that was reported as failed, and never as done, has no effect. */
function isInState(payment: UnfoldedPayment, notice: N, state: VoidState): boolean {
  const status = state === 'done' ? 'reversed' : 'reversing';
  return (
    isVoidRecord(notice) &&
    reportedStatusOf(notice) === status &&
    voidStateOf(reportsOfVoid(payment, notice)) !== null
  );
}

function isOfPayment(payment: UnfoldedPayment, notice: N): boolean {
  const captures = payment.captures ?? [];
  const target = targetsOf(reportsOfVoid(payment, notice)).find((id) =>
    captures.some(({ pspId }) => pspId === id),
  );
  return voidsPayment(notice.record, target, captures.length);
}

function reportsOfVoid({ notices }: UnfoldedPayment, { pspTransactionId }: N) {
  return notices.filter((each) => isVoidRecord(each) && each.pspTransactionId === pspTransactionId);
}

/** Why a notice of a void does not void the payment. `winner` is the one that does. */
function decideVoidLoss(
  payment: UnfoldedPayment,
  notice: N,
  winner: N | undefined,
  ranking: Ranked,
): Rule {
  if (voidStateOf(reportsOfVoid(payment, notice)) === null) return 'void-failed';
  if (!isOfPayment(payment, notice)) return 'void-of-capture';
  // As they were reported: a void without effect on the status would rank lower.
  return winner
    ? decideLoss(ranking, asReported(winner), asReported(notice), statusOf)
    : 'without-effect';
}

function asReported(notice: N): N {
  return { ...notice, status: reportedStatusOf(notice) };
}
