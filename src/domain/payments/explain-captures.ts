/**
 * What a traced fold writes down about the fields of a payment that its captures, voids and offers decide. Contract 4.9.
 * The decision (`weigh-payment.ts`) names its rule, by which the functions here find the notices that decided.
 */
import { countedOf, findAmountOf, impliedStatus } from './captures.ts';
import { becausePicked, becauseTogether, decided, decideLoss } from './fold.ts';
import { isVoidRecord } from './notice.ts';
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
  ownId,
  targetsOf,
  voidStateOf,
  voidsPayment,
} from './records.ts';
import type { Rule } from './rules.ts';
import type { Payment, StoredPaymentNotice, VoidState } from './transaction.ts';
import { findCaptureCurrency, type WeighedPayment } from './weigh-payment.ts';

type N = Weighed<StoredPaymentNotice>;
type Ranked = Ranking<StoredPaymentNotice>;

export function explainPayment(payment: Payment, weighed: WeighedPayment): void {
  const { captures, notices, pspTransactionId, offerDiscount } = payment;
  const { money, ranking } = weighed;
  const explain = (field: keyof Payment, decision: Decision) => ranking.trace?.set(field, decision);
  explain('status', becauseOfStatus(payment, weighed));
  explain('captures', becauseOfCaptures(payment, ranking));
  explain('voided', becauseOfVoid(payment, ranking));
  explain('pspTransactionId', becauseOfRecord(pspTransactionId, ranking));
  explain('hold', becauseOfHold(payment, ranking));
  explain('offerDiscount', becauseOfOffer(offerDiscount, ranking));
  if (money.amount !== undefined) explain('amount', becauseOfAmount(payment, weighed));
  if (money.currency !== undefined) {
    const setter = findCaptureCurrency(captures, notices) ?? 'order';
    explain('currency', becauseTogether(ranking, 'captured-total', [setter], 'currency'));
  }
  if (typeof money.finishedAtMs === 'number') {
    explain('finishedAtMs', becauseOfEnd(payment, money.finishedAtMs, ranking));
  }
}

function becauseOfHold({ hold }: Payment, ranking: Ranked): Decision {
  const isAuthorizing = (notice: N) => isSource(notice) && notice.status === 'authorized';
  const first = ranking.highestFirst.find(isAuthorizing) ?? ranking.highestFirst.find(isSource);
  return decided(ranking, 'hold', hold && first ? [first] : [], () => undefined);
}

function becauseOfStatus(payment: Payment, { money, ranking }: WeighedPayment): Decision {
  const { rule } = money;
  const counted = countedNotices(payment);
  const setBy = findDeciding(payment, money, ranking);
  const [winner] = setBy;
  return decided(ranking, rule, setBy, reportedStatusOf, (notice) => {
    if (isVoidRecord(notice)) return decideVoidLoss(payment, notice, setBy.find(isVoidRecord));
    if (isCapture(notice)) {
      const own = counted.get(notice.pspTransactionId);
      // A capture that counts loses against what else decides, or against another report of the same capture.
      const isBeaten = own !== undefined && !setBy.includes(own);
      return isBeaten ? rule : decideCaptureLoss(payment, notice, own, statusOf);
    }
    if (rule !== 'highest-status' || !winner || isCapture(winner)) return rule;
    return decideLoss(winner, notice, statusOf);
  });
}

const statusOf = ({ status }: N) => status;

function findDeciding(
  payment: Payment,
  { rule, status }: WeighedPayment['money'],
  ranking: Ranked,
): N[] {
  switch (rule) {
    case 'highest-status':
    case 'paid-in-part':
      return findReport(payment, ranking, status);
    case 'captured-unknown-amount':
      return ranking.highestFirst.filter(
        (notice) =>
          isCapture(notice) &&
          reportedStatusOf(notice) === 'succeeded' &&
          notice.amount === undefined,
      );
    case 'captured-in-full':
    case 'captured-in-part':
      return [...countedNotices(payment).values()];
    case 'captured-and-rest-voided':
      return [...countedNotices(payment).values(), ...findVoid(payment, ranking)];
    case 'voided':
      return findVoid(payment, ranking);
    case 'void-pending':
      // The void of the payment, or else of one of its captures.
      return payment.voided === 'pending'
        ? findVoid(payment, ranking)
        : first(ranking, (notice) => isInState(payment, notice, 'pending'));
    default:
      return rule satisfies never;
  }
}

/** A report of the payment itself, or of a capture that implies the status. */
function findReport({ captures }: Payment, ranking: Ranked, status: Payment['status']): N[] {
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

function first({ highestFirst }: Ranked, is: (notice: N) => boolean): N[] {
  return highestFirst.filter(is).slice(0, 1);
}

/** The notices that give the amounts of the captures that count, in the order of the captures. */
function countedNotices({ captures, notices }: Payment): ReadonlyMap<string, N> {
  const reports = Map.groupBy(notices.filter(isCapture), ownId);
  return new Map(
    countedOf(captures).flatMap(({ pspId }) => {
      const notice = findAmountOf(reports.get(pspId) ?? []);
      return notice ? [[pspId, notice]] : [];
    }),
  );
}

function becauseOfAmount(
  payment: Payment,
  { money, authorized, ranking, reported }: WeighedPayment,
): Decision {
  if (money.status !== 'succeeded' && authorized !== null) {
    const rule = 'authorized-amount';
    const winner = findHighest(reported, 'amount', isSource);
    const { setBy, lost } = becausePicked(reported, 'amount', winner, isSource);
    const losses = lost.map((mention) =>
      mention.notice.record === 'capture' ? ({ ...mention, rule } as const) : mention,
    );
    return { rule, setBy, lost: losses };
  }
  const isLimited = money.rule === 'highest-status' || money.rule === 'paid-in-part';
  // Another record of the provider's order may have the total that limits a payment made in one step.
  const limiting =
    findHighest(ranking, 'capturedTotal') ?? findHighest(ranking, 'amount', isSource);
  const setBy = isLimited ? [limiting ?? []].flat() : [...countedNotices(payment).values()];
  return becauseTogether(ranking, 'captured-total', setBy, 'amount');
}

/** The payment was finished by its last capture, or by the void of the rest. */
function becauseOfEnd({ captures }: Payment, finishedAtMs: number, ranking: Ranked): Decision {
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

/** A capture names its payment as its target, and may be all that is known of it. */
function becauseOfRecord(id: string | null, ranking: Ranked): Decision {
  const isOwn = ({ pspTransactionId }: N) => pspTransactionId === id;
  const own = findHighest(ranking, 'pspTransactionId', isOwn);
  const winner =
    own ?? findHighest(ranking, 'targetPspId', ({ targetPspId }) => targetPspId === id);
  const { lost } = becausePicked(ranking, 'pspTransactionId', own, isOwn);
  return { rule: 'own-record', setBy: winner ? [winner] : [], lost };
}

function becauseOfOffer(discount: number | null, ranking: Ranked): Decision {
  const naming = [findHighest(ranking, 'offerId'), findHighest(ranking, 'providerOrderAmount')];
  const notices = new Set(naming.filter((notice) => notice !== undefined));
  return {
    rule: 'offer-difference',
    setBy: discount === null ? [] : [...notices, 'order'],
    lost: [],
  };
}

function becauseOfCaptures(payment: Payment, ranking: Ranked): Decision {
  const counted = countedNotices(payment);
  const amountOf = (notice: N) => (isCapture(notice) ? (notice.amount ?? null) : undefined);
  return decided(ranking, 'captures-counted', [...counted.values()], amountOf, (notice) =>
    decideCaptureLoss(payment, notice, counted.get(notice.pspTransactionId), amountOf),
  );
}

/** Why a notice of a capture does not count. `winner` is the notice by which the same capture counts. */
function decideCaptureLoss(
  { captures, notices }: Payment,
  notice: N,
  winner: N | undefined,
  read: (notice: N) => unknown,
): Rule {
  if (winner) return decideLoss(winner, notice, read);
  const own = captures?.find(({ pspId }) => pspId === notice.pspTransactionId);
  if (!own) return 'other-record';
  if (own.status === 'captured') return isOneStep(notices) ? 'one-step' : 'above-captured-total';
  const isVoided = own.status === 'voided' || own.status === 'voiding';
  return isVoided ? 'capture-voided' : 'capture-not-done';
}

function becauseOfVoid(payment: Payment, ranking: Ranked): Decision {
  const setBy = findVoid(payment, ranking);
  const read = (notice: N) => (isVoidRecord(notice) ? reportedStatusOf(notice) : undefined);
  const rule = payment.voided === 'pending' ? 'void-pending' : 'voided';
  return decided(ranking, rule, setBy, read, (notice) => decideVoidLoss(payment, notice, setBy[0]));
}

/** The highest notice of the void that cancels the payment itself. */
function findVoid(payment: Payment, ranking: Ranked): N[] {
  const { voided } = payment;
  if (voided === null) return [];
  return first(
    ranking,
    (notice) => isInState(payment, notice, voided) && isOfPayment(payment, notice),
  );
}

/** A void that was reported as failed, and never as done, has no effect. */
function isInState(payment: Payment, notice: N, state: VoidState): boolean {
  const status = state === 'done' ? 'reversed' : 'reversing';
  return (
    isVoidRecord(notice) &&
    reportedStatusOf(notice) === status &&
    voidStateOf(reportsOfVoid(payment, notice)) !== null
  );
}

function isOfPayment(payment: Payment, notice: N): boolean {
  const captures = payment.captures ?? [];
  const target = targetsOf(reportsOfVoid(payment, notice)).find((id) =>
    captures.some(({ pspId }) => pspId === id),
  );
  return voidsPayment(notice.record, target, captures.length);
}

function reportsOfVoid({ notices }: Payment, { pspTransactionId }: N) {
  return notices.filter((each) => isVoidRecord(each) && each.pspTransactionId === pspTransactionId);
}

/** Why a notice of a void does not void the payment. `winner` is the one that does. */
function decideVoidLoss(payment: Payment, notice: N, winner: N | undefined): Rule {
  if (voidStateOf(reportsOfVoid(payment, notice)) === null) return 'void-failed';
  if (!isOfPayment(payment, notice)) return 'void-of-capture';
  // A void of the payment counts only once all captures are known.
  if (!winner || payment.voided === null) return 'without-effect';
  // As they were reported: a void without effect on the status would rank lower.
  const asReported = (each: N) => ({ ...each, status: reportedStatusOf(each) });
  return decideLoss(asReported(winner), asReported(notice), statusOf);
}
