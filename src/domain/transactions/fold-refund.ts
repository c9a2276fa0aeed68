/**
 * The state of a refund out of its notices. One that was split over several captures is a refund at the
 * provider for each of them; here it is as far as the lowest of its parts. Contract 4.2, 4.10, 4.12.
 */

import type { ReviewFlag } from '../review-flag.ts';
import { failureReason } from './failure.ts';
import { commonFields, foldNotices } from './fold.ts';
import { type RefundStatus, refundStatuses } from './notice.ts';
import { refundsOfStart, type Start } from './start.ts';
import {
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

export function foldRefund(refund: UnfoldedRefund): Refund {
  const { start } = refund;
  const ofStart = start ? refundsOfStart(start) : [];
  const told = [...refund.notices.filter(({ record }) => record !== 'void'), ...ofStart];
  const parts = foldParts(start, told, refund);
  const ownStatus = parts ? lowestOf(parts) : statusOf(told, refund.voidedPspIds !== null);
  const notices = told.map((notice) => capped(notice, ownStatus));
  const folded = foldNotices(notices, refundStatuses);
  const common = commonFields(notices, folded, ownStatus);
  const { pick } = folded;
  return {
    ...refund,
    ...common,
    // A refund that was started here has the provider's id once it is known; a split one that of its first part.
    pspTransactionId: parts
      ? (start?.refund?.pspTransactionId ?? null)
      : pick('pspTransactionId', (notice) => notice.pspTransactionId !== ''),
    startedAtMs: start?.atMs ?? common.startedAtMs,
    status: ownStatus,
    amount: parts && start ? start.amount : pick('amount'),
    failure: common.failure ?? (ownStatus === 'failed' ? voidedFailure : null),
    flags: withFlags(common.flags, ownFlags(told, parts, refund)),
    // Ours, where we asked: a provider may have stored a part of it only.
    refundRequestId: start?.refund?.requestId ?? pick('refundRequestId'),
    refundArn: pick('refundArn'),
    paymentPspId: parts ? (start?.refund?.paymentPspId ?? null) : pick('paymentPspId'),
    paymentPspOrder: pick('paymentPspOrder'),
    parts,
  };
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

function lowestOf(parts: readonly RefundPart[]): RefundStatus {
  const ranks = parts.map(({ status }) => refundStatuses.indexOf(status));
  return refundStatuses[Math.min(...ranks)] ?? 'new';
}

/** No notice counts for more than the refund does: a voided refund shows no success. */
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
    const said = new Set(own.map(({ status }) => status));
    return said.has('failed') && said.has('succeeded');
  });
  if (isContradictory) flags.push('refund_conflict');
  if (voidedPspIds) flags.push('refund_voided');
  const isSplit = parts?.some(({ status }) => status === 'succeeded');
  if (isSplit && parts?.some(({ status }) => status === 'failed')) flags.push('partially_refunded');
  return sortedOnce(flags);
}
