/**
 * Explains the fields of a refund: which notices set each of them, and by which rule. It reads the decisions of the fold
 * (`fold-refund.ts`) and makes none of its own.
 */
import { hasPspId, type WeighedRefund, weighRefund } from '../payments/fold-refund.ts';
import { refundStatuses } from '../payments/notice.ts';
import { isFinal, type Refund, type StoredRefundNotice } from '../payments/transaction.ts';
import {
  decideLoss,
  type Explained,
  explainAbsent,
  explainEarliest,
  explainOwn,
  explainPick,
  isRequest,
  type Mention,
  mentionsOf,
  type Ranking,
} from './provenance.ts';
import type { Rule } from './rules.ts';

type N = StoredRefundNotice;

/** The fields that views show. All others are constants, or what these are derived from. */
export type RefundField = Exclude<
  keyof Refund,
  | ('type' | 'transactionId' | 'provider' | 'start' | 'notices' | 'flags')
  | ('recordedAtMs' | 'paymentPspOrder')
>;

export function explainRefund(refund: Refund): Readonly<Record<RefundField, Explained<N>>> {
  const weighed = weighRefund(refund);
  const ranking = rankingOf(refund, weighed);
  const pick = (name: keyof N) => explainPick(ranking, name);
  const isSplit = weighed.parts !== null;
  const own = (name: keyof N) => explainOwn(ranking, (notice) => notice[name]);
  return {
    status: explainStatus(refund, weighed, ranking),
    amount: isSplit ? explainPartAmount(weighed, ranking) : pick('amount'),
    currency: pick('currency'),
    pspTransactionId: isSplit
      ? own('pspTransactionId')
      : explainPick(ranking, 'pspTransactionId', hasPspId),
    refundRequestId: refund.start?.refund ? own('refundRequestId') : pick('refundRequestId'),
    refundArn: pick('refundArn'),
    paymentPspId: isSplit ? own('paymentPspId') : pick('paymentPspId'),
    message: pick('message'),
    failure: explainFailure(refund, weighed, ranking),
    startedAtMs: refund.start
      ? own('startedAtMs')
      : explainEarliest(ranking, refund.startedAtMs, ({ startedAtMs }) => startedAtMs),
    finishedAtMs: explainFinish(refund, weighed, ranking),
    parts: explainParts(refund, weighed, ranking),
    voidedPspIds: explainVoids(refund, ranking),
  };
}

/** The notices of voids are not folded with those of the refund. */
function rankingOf({ notices }: Refund, { all, ranked }: WeighedRefund): Ranking<N> {
  const byKey = new Map(all.map((notice) => [notice.deliveryKey, notice]));
  return {
    ranked,
    ranks: refundStatuses,
    leftOut: notices.filter(isVoidNotice),
    originalOf: (notice) =>
      isRequest(notice) ? notice : (byKey.get(notice.deliveryKey) ?? notice),
  };
}

function isVoidNotice({ record }: N): boolean {
  return record === 'void';
}

/** True for the report of a void that was made. */
function isDone(notice: N): boolean {
  return isVoidNotice(notice) && notice.status === 'succeeded';
}

function explainStatus(refund: Refund, weighed: WeighedRefund, ranking: Ranking<N>): Explained<N> {
  const { rule, setBy } = findDeciding(refund, weighed, ranking);
  const lost = mentionsOf(ranking, ({ status }) => status)
    .filter(({ notice }) => !setBy.includes(notice) && !isDecidingRequest(notice, setBy))
    .map(({ notice }): Mention<N> => {
      const reported = ranking.originalOf(notice);
      const loss = decideStatusLoss(rule, setBy, notice, ranking);
      return { notice, value: reported.status, rule: loss };
    });
  return { rule, setBy, lost };
}

/** A split refund has a request for each part; they are one call to whoever reads this. */
function isDecidingRequest(notice: N, setBy: readonly N[]): boolean {
  return isRequest(notice) && setBy.some(isRequest);
}

type Deciding = { readonly rule: Rule; readonly setBy: readonly N[] };

function findDeciding(
  { voidedPspIds }: Refund,
  { parts, status }: WeighedRefund,
  ranking: Ranking<N>,
): Deciding {
  const done = ranking.leftOut.filter(isDone).toSorted(byKey);
  if (parts) {
    const deciding = new Set(
      parts.filter((part) => part.status === status).map(({ pspId }) => pspId),
    );
    const isVoided = [...deciding].some((pspId) => voidedPspIds?.includes(pspId));
    const own = ranking.ranked.highestFirst.filter(
      (notice) =>
        deciding.has(notice.pspTransactionId) && ranking.originalOf(notice).status === status,
    );
    return { rule: 'parts', setBy: [...own, ...(isVoided ? done : [])] };
  }
  if (voidedPspIds) return { rule: 'refund-voided', setBy: done };
  return { rule: 'highest-status', setBy: ranking.ranked.highestFirst.slice(0, 1) };
}

function decideStatusLoss(rule: Rule, setBy: readonly N[], notice: N, ranking: Ranking<N>): Rule {
  const [winner] = setBy;
  if (isVoidNotice(notice)) return isDone(notice) ? 'other-record' : 'void-failed';
  if (rule !== 'highest-status' || !winner) return rule;
  return decideLoss(ranking, winner, notice, ({ status }) => status);
}

function byKey(a: N, b: N): number {
  return a.deliveryKey < b.deliveryKey ? -1 : 1;
}

/** A voided refund without a reported failure says that it was voided. */
function explainFailure(refund: Refund, { status }: WeighedRefund, ranking: Ranking<N>) {
  if (status !== 'failed')
    return explainAbsent(ranking, 'only-while-failed', ({ failure }) => failure);
  const own = explainPick(ranking, 'failure');
  if (own.setBy.length > 0 || refund.failure === null) return own;
  const setBy = ranking.leftOut.filter(isDone).toSorted(byKey);
  return { rule: 'refund-voided', setBy, lost: own.lost } as const;
}

function explainFinish(refund: Refund, { status }: WeighedRefund, ranking: Ranking<N>) {
  const since = ({ statusSinceMs }: N) => statusSinceMs;
  if (!isFinal(status)) return explainAbsent(ranking, 'only-when-final', since);
  return explainEarliest(ranking, refund.finishedAtMs, since, (notice) => notice.status === status);
}

/** Each part has the highest status that was reported for it. */
function explainParts(refund: Refund, { parts }: WeighedRefund, ranking: Ranking<N>): Explained<N> {
  if (!parts) return { rule: 'own-request', setBy: [], lost: [] };
  const setBy = ranking.ranked.highestFirst.filter((notice) => {
    const part = parts.find(({ pspId }) => pspId === notice.pspTransactionId);
    return part !== undefined && part.status === ranking.originalOf(notice).status;
  });
  const voids = refund.voidedPspIds ? ranking.leftOut.filter(isDone).toSorted(byKey) : [];
  return { rule: 'own-request', setBy: [...setBy, ...voids], lost: [] };
}

/** What we requested, or what reached the consumer of it. */
function explainPartAmount({ parts, status }: WeighedRefund, ranking: Ranking<N>): Explained<N> {
  const own = explainOwn(ranking, ({ amount }) => amount);
  const failed = new Set(
    (parts ?? []).flatMap((part) => (part.status === 'failed' ? part.pspId : [])),
  );
  if (status !== 'succeeded' || failed.size === 0) return own;
  const setBy = ranking.ranked.highestFirst.filter(
    (notice) =>
      !failed.has(notice.pspTransactionId) && ranking.originalOf(notice).status === 'succeeded',
  );
  return { rule: 'parts', setBy, lost: [] };
}

function explainVoids({ voidedPspIds }: Refund, { leftOut }: Ranking<N>): Explained<N> {
  const voids = leftOut.toSorted(byKey);
  const setBy = voidedPspIds ? voids.filter(isDone) : [];
  const lost = voids
    .filter((notice) => !setBy.includes(notice))
    .map((notice): Mention<N> => ({ notice, value: notice.status, rule: 'void-failed' }));
  return { rule: 'refund-voided', setBy, lost };
}
