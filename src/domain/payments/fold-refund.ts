/**
 * Derives the state of a refund from its notices. A refund that is split over several captures is one refund per
 * capture at the provider. It is pending while a part is open, and failed only if no part reached the consumer.
 * Contract 4.2, 4.10, 4.12.
 */

import type { MinorUnits } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { failureReason } from './failure.ts';
import { byKey, commonFields, decided, decideLoss, keepOwn, pick } from './fold.ts';
import { type RefundStatus, refundStatuses } from './notice.ts';
import {
  type Decision,
  isRequest,
  type Ranking,
  rankNotices,
  reportedStatusOf,
  type Trace,
  type Weighed,
} from './ranking.ts';
import type { Rule } from './rules.ts';
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
type Because = Decision<StoredRefundNotice>;

/** `trace` takes what set each field. */
export function foldRefund(refund: UnfoldedRefund, trace?: Trace<StoredRefundNotice>): Refund {
  const { start, voidedPspIds } = refund;
  // Our start is one notice for each of its calls.
  const ofStart = start ? refundNoticesOf(start) : [];
  const all = [...refund.notices.filter((notice) => !isVoid(notice)), ...ofStart];
  const parts = foldParts(start, all, refund);
  const decision = decideStatus(all, parts, voidedPspIds);
  const { status } = decision;
  const ranking = rankNotices(
    all.map((notice) => capped(notice, status)),
    refundStatuses,
    trace,
    trace ? refund.notices.filter(isVoid) : [],
  );
  const common = commonFields(ranking, status, start);
  trace?.set('status', becauseOfStatus(decision, ranking));
  trace?.set('parts', becauseOfParts(refund, parts, ranking));
  trace?.set('voidedPspIds', becauseOfVoids(refund, ranking));
  const request = start?.refund;
  return {
    ...refund,
    currency: pick(ranking, 'currency'),
    ...common,
    // The provider's id, once known. A split refund has the id of its first part.
    pspTransactionId: parts
      ? keepOwn(ranking, 'pspTransactionId', request?.pspTransactionId ?? null)
      : pick(ranking, 'pspTransactionId', hasPspId),
    status,
    amount:
      parts && start ? decideAmountOfParts(parts, status, start, ranking) : pick(ranking, 'amount'),
    failure: common.failure ?? (status === 'failed' ? voidedFailure(ranking) : null),
    flags: withFlags(common.flags, ownFlags(all, parts, refund)),
    // Ours for a refund started here, because a provider may truncate it.
    refundRequestId: request
      ? keepOwn(ranking, 'refundRequestId', request.requestId)
      : pick(ranking, 'refundRequestId'),
    refundArn: pick(ranking, 'refundArn'),
    paymentPspId: parts
      ? keepOwn(ranking, 'paymentPspId', request?.paymentPspId ?? null)
      : pick(ranking, 'paymentPspId'),
    paymentPspOrder: pick(ranking, 'paymentPspOrder'),
    parts,
  };
}

function isVoid({ record }: StoredRefundNotice): boolean {
  return record === 'void';
}

/** A start has no id of the provider until its call was accepted. */
function hasPspId({ pspTransactionId }: StoredRefundNotice): boolean {
  return pspTransactionId !== '';
}

/** `setBy` finds the notices that decided. Only a trace calls it. */
type DecidedStatus = {
  readonly status: RefundStatus;
  readonly rule: Rule;
  readonly setBy: (ranking: Ranked) => readonly N[];
};

function decideStatus(
  notices: readonly StoredRefundNotice[],
  parts: readonly RefundPart[] | null,
  voidedPspIds: Refund['voidedPspIds'],
): DecidedStatus {
  if (parts) {
    const status = statusOfParts(parts);
    const setBy = (ranking: Ranked) => {
      const deciding = parts.filter((part) => part.status === status);
      return decidingOfParts(deciding, voidedPspIds, ranking);
    };
    return { status, rule: 'parts', setBy };
  }
  if (voidedPspIds) return { status: 'failed', rule: 'refund-voided', setBy: voidsMade };
  const setBy = ({ highestFirst }: Ranked) => highestFirst.slice(0, 1);
  return { status: statusOf(notices, false), rule: 'highest-status', setBy };
}

function statusOf(notices: readonly StoredRefundNotice[], isVoided: boolean): RefundStatus {
  if (isVoided) return 'failed';
  return rankNotices(notices, refundStatuses).highestFirst[0]?.status ?? 'new';
}

function foldParts(
  start: Start | null,
  notices: readonly StoredRefundNotice[],
  { voidedPspIds }: UnfoldedRefund,
): readonly RefundPart[] | null {
  const parts = start?.refund?.parts;
  if (!parts) return null;
  return parts.map(({ pspTransactionId, capturePspId, amount }) => {
    const own = notices.filter((notice) => notice.pspTransactionId === pspTransactionId);
    const status = statusOf(own, voidedPspIds?.includes(pspTransactionId) ?? false);
    return { pspId: pspTransactionId, capturePspId, amount, status };
  });
}

/** The lowest status of the open parts; without any, whether money reached the consumer. */
function statusOfParts(parts: readonly RefundPart[]): RefundStatus {
  const ranks = parts.map(({ status }) => refundStatuses.indexOf(status));
  const lowest = refundStatuses[Math.min(...ranks)] ?? 'new';
  if (!isFinal(lowest)) return lowest;
  return parts.some(({ status }) => status === 'succeeded') ? 'succeeded' : 'failed';
}

/** What was requested, until it is known what reached the consumer. */
function decideAmountOfParts(
  parts: readonly RefundPart[],
  status: RefundStatus,
  start: Start,
  ranking: Ranked,
): MinorUnits {
  const made = parts.filter((part) => part.status === 'succeeded');
  if (status !== 'succeeded') return keepOwn(ranking, 'amount', start.amount);
  const sum = made.reduce((total, { amount }) => total + amount, 0);
  if (made.length === parts.length) return keepOwn(ranking, 'amount', sum);
  ranking.trace?.set('amount', { rule: 'parts', setBy: reportsOf(made, ranking), lost: [] });
  return sum;
}

/** The reports by which these parts have their status. */
function reportsOf(parts: readonly RefundPart[], { highestFirst }: Ranked): N[] {
  const statuses = new Map(parts.map(({ pspId, status }) => [pspId, status]));
  return highestFirst.filter(
    (notice) => statuses.get(notice.pspTransactionId) === reportedStatusOf(notice),
  );
}

/** Limits a notice to the status of the refund: a voided refund must not show fields of its earlier success. */
function capped(notice: StoredRefundNotice, status: RefundStatus): N {
  const { status: reportedStatus } = notice;
  const isHigher = refundStatuses.indexOf(reportedStatus) > refundStatuses.indexOf(status);
  if (!isHigher) return notice;
  // The requests of a split refund are one call, and no report.
  return isRequest(notice) ? { ...notice, status } : { ...notice, status, reportedStatus };
}

/** A voided refund without a reported failure says that it was voided. */
function voidedFailure(ranking: Ranked) {
  ranking.trace?.set(
    'failure',
    decided(
      ranking,
      'refund-voided',
      voidsMade(ranking),
      ({ failure }) => failure,
      () => 'other-record',
    ),
  );
  return failureOfVoid;
}

const failureOfVoid = failureReason('REFUND_FAILED', 'The refund was voided at the provider.');

function voidsMade({ leftOut }: Ranked): N[] {
  return leftOut.filter(isMade).toSorted(byKey);
}

function isMade({ status }: N): boolean {
  return status === 'succeeded';
}

function becauseOfStatus({ rule, ...decision }: DecidedStatus, ranking: Ranked): Because {
  const setBy = decision.setBy(ranking);
  const [winner] = setBy;
  // A split refund has a request for each part; they are one call to whoever reads this.
  const isNamed = (notice: N) => isRequest(notice) && setBy.some(isRequest);
  const read = (notice: N) => (isNamed(notice) ? undefined : reportedStatusOf(notice));
  return decided(ranking, rule, setBy, read, (notice): Rule => {
    if (isVoid(notice)) return isMade(notice) ? 'other-record' : 'void-failed';
    if (rule !== 'highest-status' || !winner) return rule;
    return decideLoss(ranking, winner, notice, (each) => each.status);
  });
}

/** The reports of these parts, and the voids if one of them was voided. */
function decidingOfParts(
  parts: readonly RefundPart[],
  voidedPspIds: Refund['voidedPspIds'],
  ranking: Ranked,
): N[] {
  const isVoided = parts.some(({ pspId }) => voidedPspIds?.includes(pspId));
  return [...reportsOf(parts, ranking), ...(isVoided ? voidsMade(ranking) : [])];
}

/** Each part has the highest status that was reported for it. */
function becauseOfParts(
  { voidedPspIds }: UnfoldedRefund,
  parts: readonly RefundPart[] | null,
  ranking: Ranked,
): Because {
  const setBy = parts ? decidingOfParts(parts, voidedPspIds, ranking) : [];
  return { rule: 'own-request', setBy, lost: [] };
}

function becauseOfVoids({ voidedPspIds }: UnfoldedRefund, ranking: Ranked): Because {
  const read = (notice: N) => (isVoid(notice) ? notice.status : undefined);
  const setBy = voidedPspIds ? voidsMade(ranking) : [];
  return decided(ranking, 'refund-voided', setBy, read, () => 'void-failed');
}

function ownFlags(
  notices: readonly StoredRefundNotice[],
  parts: readonly RefundPart[] | null,
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
