/**
 * What a traced fold writes down about the fields of a payment that its captures and voids decide: status, amount, end,
 * captures and void. Contract 4.9. The decision (`weigh-payment.ts`) names the function here that finds what decided.
 */
import { countedOf, findAmountOf, impliedStatus } from './captures.ts';
import { becausePicked, becauseTogether, decided, decideLoss } from './fold.ts';
import type { PaymentStatus } from './notice.ts';
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
import type { Payment, StoredPaymentNotice, VoidState } from './transaction.ts';

type N = Weighed<StoredPaymentNotice>;
type Ranked = Ranking<StoredPaymentNotice>;
type Because = Decision<StoredPaymentNotice>;

type Placed = Pick<Payment, 'captures' | 'voided' | 'notices'>;

/** `setBy` finds the notices that decided. Only a trace calls it. */
export type DecidedStatus = {
  readonly status: PaymentStatus;
  readonly rule: Rule;
  readonly setBy: (payment: Placed, ranking: Ranked, status: PaymentStatus) => N[];
};

/** `reported` ranks the notices by the status that they report. */
export type ExplainAmount = (payment: Placed, ranking: Ranked, reported: Ranked) => Because;

export function becauseOfStatus(payment: Placed, money: DecidedStatus, ranking: Ranked): Because {
  const { rule } = money;
  const counted = countedNotices(payment);
  const setBy = money.setBy(payment, ranking, money.status);
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

/** A report of the payment itself, or of a capture that implies the status. */
export function findReport({ captures }: Placed, ranking: Ranked, status: PaymentStatus): N[] {
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

/** The captures that succeeded with an unknown amount. */
export function findUnknownAmounts(_payment: Placed, { highestFirst }: Ranked): N[] {
  return highestFirst.filter(
    (notice) =>
      isCapture(notice) && reportedStatusOf(notice) === 'succeeded' && notice.amount === undefined,
  );
}

/** The notices that give the amounts of the captures that count, in the order of the captures. */
export function findCounted(payment: Placed): N[] {
  return [...countedNotices(payment).values()];
}

export function findCountedAndVoid(payment: Placed, ranking: Ranked): N[] {
  return [...findCounted(payment), ...findVoid(payment, ranking)];
}

/** By the provider's id of the capture. */
function countedNotices({ captures, notices }: Placed): ReadonlyMap<string, N> {
  const reports = Map.groupBy(notices.filter(isCapture), ownId);
  return new Map(
    countedOf(captures).flatMap(({ pspId }) => {
      const notice = findAmountOf(reports.get(pspId) ?? []);
      return notice ? [[pspId, notice]] : [];
    }),
  );
}

export function becauseAuthorized(_payment: Placed, _ranking: Ranked, reported: Ranked): Because {
  const rule: Rule = 'authorized-amount';
  const winner = findHighest(reported, 'amount', isSource);
  const { setBy, lost } = becausePicked(reported, 'amount', winner, isSource);
  const losses = lost.map((mention) =>
    isCapture(mention.notice) ? { ...mention, rule } : mention,
  );
  return { rule, setBy, lost: losses };
}

export function becauseCaptured(payment: Placed, ranking: Ranked): Because {
  return becauseTogether(ranking, 'captured-total', findCounted(payment), 'amount');
}

/** The total limits a payment made in one step. Another record of the provider's order may have it. */
export function becauseLimited(_payment: Placed, ranking: Ranked): Because {
  const limiting =
    findHighest(ranking, 'capturedTotal') ?? findHighest(ranking, 'amount', isSource);
  return becauseTogether(ranking, 'captured-total', limiting ? [limiting] : [], 'amount');
}

/** The payment was finished by its last capture, or by the void of the rest. */
export function becauseOfEnd({ captures }: Placed, finishedAtMs: number, ranking: Ranked): Because {
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

export function becauseOfCaptures(payment: Placed, ranking: Ranked): Because {
  const counted = countedNotices(payment);
  const amountOf = (notice: N) => (isCapture(notice) ? (notice.amount ?? null) : undefined);
  return decided(ranking, 'captures-counted', [...counted.values()], amountOf, (notice) =>
    decideCaptureLoss(payment, notice, counted.get(notice.pspTransactionId), ranking, amountOf),
  );
}

/** Why a notice of a capture does not count. `winner` is the notice by which the same capture counts. */
function decideCaptureLoss(
  { captures, notices }: Placed,
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

export function becauseOfVoid(payment: Placed, ranking: Ranked): Because {
  const setBy = findVoid(payment, ranking);
  const read = (notice: N) => (isVoidRecord(notice) ? reportedStatusOf(notice) : undefined);
  const rule = payment.voided === 'pending' ? 'void-pending' : 'voided';
  return decided(ranking, rule, setBy, read, (notice) =>
    decideVoidLoss(payment, notice, setBy[0], ranking),
  );
}

/** The highest notice of the void that cancels the payment itself. */
export function findVoid(payment: Placed, ranking: Ranked): N[] {
  const { voided } = payment;
  if (voided === null) return [];
  return first(
    ranking,
    (notice) => isInState(payment, notice, voided) && isOfPayment(payment, notice),
  );
}

/** The void of the payment, or else of one of its captures. */
export function findPendingVoid(payment: Placed, ranking: Ranked): N[] {
  return payment.voided === 'pending'
    ? findVoid(payment, ranking)
    : first(ranking, (notice) => isInState(payment, notice, 'pending'));
}

/** A void that was reported as failed, and never as done, has no effect. */
function isInState(payment: Placed, notice: N, state: VoidState): boolean {
  const status = state === 'done' ? 'reversed' : 'reversing';
  return (
    isVoidRecord(notice) &&
    reportedStatusOf(notice) === status &&
    voidStateOf(reportsOfVoid(payment, notice)) !== null
  );
}

function isOfPayment(payment: Placed, notice: N): boolean {
  const captures = payment.captures ?? [];
  const target = targetsOf(reportsOfVoid(payment, notice)).find((id) =>
    captures.some(({ pspId }) => pspId === id),
  );
  return voidsPayment(notice.record, target, captures.length);
}

function reportsOfVoid({ notices }: Placed, { pspTransactionId }: N) {
  return notices.filter((each) => isVoidRecord(each) && each.pspTransactionId === pspTransactionId);
}

/** Why a notice of a void does not void the payment. `winner` is the one that does. */
function decideVoidLoss(payment: Placed, notice: N, winner: N | undefined, ranking: Ranked): Rule {
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
