/** Folds a dispute from the set of its notices, whatever their order of arrival. Contract 17.2. */
import {
  type Dispute,
  disputeStatuses,
  isFinalDispute,
  type StoredDisputeNotice,
} from './dispute.ts';

/** At least one notice, all of one dispute. */
export function foldDispute(notices: readonly StoredDisputeNotice[]): Dispute {
  const highestFirst = notices.toSorted((a, b) => compare(b, a));
  const pick = <Field extends keyof StoredDisputeNotice>(field: Field) =>
    highestFirst.find((notice) => notice[field] !== undefined)?.[field] ?? null;
  const status = pick('status') ?? 'open';
  return {
    disputeId: notices[0]?.disputeId ?? '',
    status,
    phase: pick('phase'),
    reasonCode: pick('reasonCode'),
    reason: pick('reason'),
    amount: pick('amount'),
    currency: pick('currency'),
    amountDeducted: pick('amountDeducted'),
    respondByMs: pick('respondByMs'),
    actionRequired: !isFinalDispute(status) && asksForAction(highestFirst),
    createdAtMs: pick('createdAtMs'),
  };
}

/** True if one bank decision contradicts another. */
export function hasConflict(notices: readonly StoredDisputeNotice[]): boolean {
  const reported = new Set(notices.map(({ status }) => status));
  return reported.has('won') && reported.has('lost');
}

/** A final status is above all others and has a rank; of the others the newest is the highest. */
function compare(a: StoredDisputeNotice, b: StoredDisputeNotice): number {
  return (
    finalRankOf(a) - finalRankOf(b) ||
    timeOf(a) - timeOf(b) ||
    rankOf(a) - rankOf(b) ||
    (a.deliveryKey < b.deliveryKey ? -1 : 1)
  );
}

/** What an event asks for holds until a newer event. That a read still finds the dispute open is none. */
function asksForAction(notices: readonly StoredDisputeNotice[]): boolean {
  const askedMs = Math.max(...notices.filter((notice) => notice.asksForAction).map(timeOf));
  const ends = (notice: StoredDisputeNotice) =>
    timeOf(notice) > askedMs && !(notice.isRead && notice.status === 'open');
  return Number.isFinite(askedMs) && !notices.some(ends);
}

const rankOf = ({ status }: StoredDisputeNotice) => (status ? disputeStatuses.indexOf(status) : -1);

const finalRankOf = (notice: StoredDisputeNotice) =>
  notice.status && isFinalDispute(notice.status) ? rankOf(notice) : -1;

const timeOf = ({ occurredAtMs, createdAtMs }: StoredDisputeNotice) =>
  occurredAtMs ?? createdAtMs ?? 0;
