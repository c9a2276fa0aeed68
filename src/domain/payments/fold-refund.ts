/**
 * Derives the state of a refund from its notices. A refund that is split over several captures is one refund per
 * capture at the provider. It is pending while a part is open, and failed only if no part reached the consumer.
 * Contract 4.2, 4.10, 4.12.
 */
import type { MinorUnits } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { failureReason } from './failure.ts';
import { byKey, commonFields, decided, decideLoss, keepOwn, pick } from './fold.ts';
import { isVoidRecord, type RefundStatus, rankOf, refundStatuses } from './notice.ts';
import {
  isRequest,
  type Ranking,
  rankNotices,
  reportedStatusOf,
  type Trace,
  type Weighed,
} from './ranking.ts';
import { refundNoticesOf, type Start } from './start.ts';
import {
  isFinal,
  type Refund,
  type RefundPart,
  type StoredRefundNotice,
  sortedOnce,
  withFlags,
} from './transaction.ts';

export type UnfoldedRefund = Pick<
  Refund,
  'type' | 'transactionId' | 'provider' | 'start' | 'pspTransactionId' | 'voidedPspIds' | 'notices'
>;

type N = Weighed<StoredRefundNotice>;
type Ranked = Ranking<StoredRefundNotice>;
type Parts = readonly RefundPart[];

export function foldRefund(refund: UnfoldedRefund, trace?: Trace): Refund {
  const { start, voidedPspIds } = refund;
  const request = start?.refund;
  // Our start is one notice for each of its calls.
  const ofStart = start ? refundNoticesOf(start) : [];
  const all = [...refund.notices.filter((notice) => !isVoidRecord(notice)), ...ofStart];
  const parts = foldParts(refund, all);
  const status = parts ? statusOfParts(parts) : statusOf(all, Boolean(voidedPspIds));
  const ranking = rankNotices(
    all.map((notice) => capped(notice, status)),
    trace,
    trace ? refund.notices.filter(isVoidRecord) : [],
  );
  const common = commonFields(ranking, status, start);
  if (trace) explainRefund(refund, parts, status, ranking, trace);
  return {
    ...refund,
    currency: pick(ranking, 'currency'),
    ...common,
    // The provider's id, once known: a start has none until its call was accepted. A split refund has that of its first part.
    pspTransactionId: parts
      ? keepOwn(ranking, 'pspTransactionId', request?.pspTransactionId ?? null)
      : pick(ranking, 'pspTransactionId', ({ pspTransactionId }) => pspTransactionId !== ''),
    status,
    amount:
      parts && start
        ? decideAmountOfParts(parts, status, start.amount, ranking)
        : pick(ranking, 'amount'),
    failure: common.failure ?? (status === 'failed' ? voidedFailure(ranking) : null),
    flags: withFlags(common.flags, ownFlags(all, parts, refund)),
    // Ours for a refund started here, because a provider may truncate it.
    refundRequestId: request
      ? keepOwn(ranking, 'refundRequestId', request.requestId, requestRule(request))
      : pick(ranking, 'refundRequestId'),
    refundArn: pick(ranking, 'refundArn'),
    paymentPspId: parts
      ? keepOwn(ranking, 'paymentPspId', request?.paymentPspId ?? null)
      : pick(ranking, 'paymentPspId'),
    paymentPspOrder: pick(ranking, 'paymentPspOrder'),
    parts,
  };
}

const requestRule = ({ isLate }: NonNullable<Start['refund']>) =>
  isLate ? 'late-payment' : 'own-request';

function statusOf(notices: readonly StoredRefundNotice[], isVoided: boolean): RefundStatus {
  if (isVoided) return 'failed';
  return rankNotices(notices).highestFirst[0]?.status ?? 'new';
}

function foldParts(
  { start, voidedPspIds }: UnfoldedRefund,
  notices: readonly StoredRefundNotice[],
): Parts | null {
  const parts = start?.refund?.parts;
  if (!parts) return null;
  return parts.map(({ pspTransactionId, capturePspId, amount }) => {
    const own = notices.filter((notice) => notice.pspTransactionId === pspTransactionId);
    const status = statusOf(own, voidedPspIds?.includes(pspTransactionId) ?? false);
    return { pspId: pspTransactionId, capturePspId, amount, status };
  });
}

/** The lowest status of the open parts; without any, whether money reached the consumer. */
function statusOfParts(parts: Parts): RefundStatus {
  const ranks = parts.map(({ status }) => refundStatuses.indexOf(status));
  const lowest = refundStatuses[Math.min(...ranks)] ?? 'new';
  if (!isFinal(lowest)) return lowest;
  return parts.some(({ status }) => status === 'succeeded') ? 'succeeded' : 'failed';
}

/** What was requested, until it is known what reached the consumer. */
function decideAmountOfParts(
  parts: Parts,
  status: RefundStatus,
  requested: MinorUnits,
  ranking: Ranked,
): MinorUnits {
  if (status !== 'succeeded') return keepOwn(ranking, 'amount', requested);
  const made = parts.filter((part) => part.status === 'succeeded');
  const sum = made.reduce((total, { amount }) => total + amount, 0);
  if (made.length === parts.length) return keepOwn(ranking, 'amount', sum);
  ranking.trace?.set('amount', { rule: 'parts', setBy: reportsOf(made, ranking), lost: [] });
  return sum;
}

function reportsOf(parts: Parts, { highestFirst }: Ranked): N[] {
  const statuses = new Map(parts.map(({ pspId, status }) => [pspId, status]));
  return highestFirst.filter(
    (notice) => statuses.get(notice.pspTransactionId) === reportedStatusOf(notice),
  );
}

/** Limits a notice to the status of the refund: a voided refund must not show fields of its earlier success. */
function capped(notice: StoredRefundNotice, status: RefundStatus): N {
  const { status: reportedStatus } = notice;
  const isHigher = rankOf(reportedStatus) > rankOf(status);
  if (!isHigher) return notice;
  // The requests of a split refund are one call, and no report.
  return isRequest(notice) ? { ...notice, status } : { ...notice, status, reportedStatus };
}

/** A voided refund without a reported failure says that it was voided. */
function voidedFailure(ranking: Ranked) {
  const { trace } = ranking;
  const read = ({ failure }: N) => failure;
  const lossOf = () => 'other-record' as const;
  trace?.set('failure', decided(ranking, 'refund-voided', voidsMade(ranking), read, lossOf));
  return failureOfVoid;
}

const failureOfVoid = failureReason('REFUND_FAILED', 'The refund was voided at the provider.');

function voidsMade({ leftOut }: Ranked): N[] {
  return leftOut.filter(({ status }) => status === 'succeeded').toSorted(byKey);
}

function explainRefund(
  { voidedPspIds }: UnfoldedRefund,
  parts: Parts | null,
  status: RefundStatus,
  ranking: Ranked,
  trace: Trace,
): void {
  const voids = voidedPspIds ? voidsMade(ranking) : [];
  // The reports of parts, and the voids if one of them was voided.
  const decidingOf = (some: Parts) => {
    const isVoided = some.some(({ pspId }) => voidedPspIds?.includes(pspId));
    return [...reportsOf(some, ranking), ...(isVoided ? voids : [])];
  };
  const ofOne = voidedPspIds ? voids : ranking.highestFirst.slice(0, 1);
  const setBy = parts ? decidingOf(parts.filter((part) => part.status === status)) : ofOne;
  const rule = parts ? 'parts' : voidedPspIds ? 'refund-voided' : 'highest-status';
  const [winner] = setBy;
  // A split refund has a request for each part; they are one call to whoever reads this.
  const isNamed = (notice: N) => isRequest(notice) && setBy.some(isRequest);
  const read = (notice: N) => (isNamed(notice) ? undefined : reportedStatusOf(notice));
  const because = decided(ranking, rule, setBy, read, (notice) => {
    if (isVoidRecord(notice)) return notice.status === 'succeeded' ? 'other-record' : 'void-failed';
    if (rule !== 'highest-status' || !winner) return rule;
    return decideLoss(winner, notice, (each) => each.status);
  });
  trace.set('status', because);
  // Each part has the highest status that was reported for it.
  trace.set('parts', { rule: 'own-request', setBy: parts ? decidingOf(parts) : [], lost: [] });
  const readVoid = (notice: N) => (isVoidRecord(notice) ? notice.status : undefined);
  trace.set(
    'voidedPspIds',
    decided(ranking, 'refund-voided', voids, readVoid, () => 'void-failed'),
  );
}

function ownFlags(
  notices: readonly StoredRefundNotice[],
  parts: Parts | null,
  { voidedPspIds }: UnfoldedRefund,
): readonly ReviewFlag[] {
  const flags: ReviewFlag[] = [];
  const byPart = Map.groupBy(notices, ({ pspTransactionId }) => (parts ? pspTransactionId : ''));
  const isContradictory = [...byPart.values()].some((own) => {
    const statuses = new Set(own.map(({ status }) => status));
    return statuses.has('failed') && statuses.has('succeeded');
  });
  if (isContradictory) flags.push('refund_conflict');
  if (voidedPspIds) flags.push('refund_voided');
  const hasSucceeded = parts?.some(({ status }) => status === 'succeeded');
  const hasFailed = parts?.some(({ status }) => status === 'failed');
  if (hasSucceeded && hasFailed) flags.push('partially_refunded');
  return sortedOnce(flags);
}
