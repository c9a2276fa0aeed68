/**
 * Derives the state of a refund from its notices. A refund that is split over several captures is one refund per
 * capture at the provider. It is pending while a part is open, and failed only if no part reached the consumer.
 * Contract 4.2, 4.10, 4.12.
 */

import type { MinorUnits } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { failureReason } from './failure.ts';
import { commonFields, type Folded, foldNotices } from './fold.ts';
import { type RefundStatus, refundStatuses } from './notice.ts';
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

export type WeighedRefund = {
  /** The notices of the provider without voids, and our start as one for each of its calls. */
  readonly all: readonly StoredRefundNotice[];
  readonly parts: readonly RefundPart[] | null;
  readonly status: RefundStatus;
  /** The same notices with the rank that they have when fields are picked. */
  readonly notices: readonly StoredRefundNotice[];
  readonly ranked: Folded<StoredRefundNotice>;
};

/** Weighs the notices against each other. `foldRefund` builds the refund from it, `why/` explains it. */
export function weighRefund(refund: UnfoldedRefund): WeighedRefund {
  const { start } = refund;
  const ofStart = start ? refundNoticesOf(start) : [];
  const all = [...refund.notices.filter(({ record }) => record !== 'void'), ...ofStart];
  const parts = foldParts(start, all, refund);
  const status = parts ? statusOfParts(parts) : statusOf(all, refund.voidedPspIds !== null);
  const notices = all.map((notice) => capped(notice, status));
  return { all, parts, status, notices, ranked: foldNotices(notices, refundStatuses) };
}

export function foldRefund(refund: UnfoldedRefund): Refund {
  const { start } = refund;
  const { all, parts, status, notices, ranked } = weighRefund(refund);
  const common = commonFields(notices, ranked, status);
  const { pick } = ranked;
  return {
    ...refund,
    ...common,
    // The provider's id, once known. A split refund has the id of its first part.
    pspTransactionId: parts
      ? (start?.refund?.pspTransactionId ?? null)
      : pick('pspTransactionId', hasPspId),
    startedAtMs: start?.atMs ?? common.startedAtMs,
    status,
    amount: parts && start ? amountOfParts(parts, status, start) : pick('amount'),
    failure: common.failure ?? (status === 'failed' ? voidedFailure : null),
    flags: withFlags(common.flags, ownFlags(all, parts, refund)),
    // Ours for a refund started here, because a provider may truncate it.
    refundRequestId: start?.refund?.requestId ?? pick('refundRequestId'),
    refundArn: pick('refundArn'),
    paymentPspId: parts ? (start?.refund?.paymentPspId ?? null) : pick('paymentPspId'),
    paymentPspOrder: pick('paymentPspOrder'),
    parts,
  };
}

/** A start has no id of the provider until its call was accepted. */
export function hasPspId({ pspTransactionId }: StoredRefundNotice): boolean {
  return pspTransactionId !== '';
}

const voidedFailure = failureReason('REFUND_FAILED', 'The refund was voided at the provider.');

type Voided = Pick<Refund, 'voidedPspIds'>;

function statusOf(notices: readonly StoredRefundNotice[], isVoided: boolean): RefundStatus {
  return isVoided ? 'failed' : foldNotices(notices, refundStatuses).highest;
}

function foldParts(
  start: Start | null,
  notices: readonly StoredRefundNotice[],
  { voidedPspIds }: Voided,
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
function amountOfParts(
  parts: readonly RefundPart[],
  status: RefundStatus,
  start: Start,
): MinorUnits {
  if (status !== 'succeeded') return start.amount;
  return parts
    .filter((part) => part.status === 'succeeded')
    .reduce((sum, { amount }) => sum + amount, 0);
}

/** Limits a notice to the status of the refund: a voided refund must not show fields of its earlier success. */
function capped(notice: StoredRefundNotice, status: RefundStatus): StoredRefundNotice {
  const isHigher = refundStatuses.indexOf(notice.status) > refundStatuses.indexOf(status);
  return isHigher ? { ...notice, status } : notice;
}

function ownFlags(
  notices: readonly StoredRefundNotice[],
  parts: readonly RefundPart[] | null,
  { voidedPspIds }: Voided,
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
