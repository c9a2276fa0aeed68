/**
 * What set a field of a transaction, and what else mentioned the field and lost. The parts that payments and refunds
 * share. The fold itself is asked which notice sets a field. docs/decisions/0044.
 */
import { isDeepStrictEqual } from 'node:util';
import { decidePrecedence, type Folded } from '../payments/fold.ts';
import type { StoredPaymentNotice, StoredRefundNotice } from '../payments/transaction.ts';
import type { Rule } from './rules.ts';

export type AnyNotice = StoredPaymentNotice | StoredRefundNotice;

/** A notice, what the order expects, or time. */
export type Setter<N extends AnyNotice> = N | 'order' | 'time';

export type Mention<N extends AnyNotice> = {
  readonly notice: N;
  readonly value: unknown;
  /** What decided against it. */
  readonly rule: Rule;
};

export type Explained<N extends AnyNotice> = {
  readonly rule: Rule;
  /** One, or all of those that add up to the value. Empty if nothing sets it. */
  readonly setBy: ReadonlyArray<Setter<N>>;
  /** The highest first. */
  readonly lost: ReadonlyArray<Mention<N>>;
};

/** The notices of a transaction, ranked as the fold ranks them. */
export type Ranking<N extends AnyNotice> = {
  readonly ranked: Folded<N>;
  readonly ranks: readonly N['status'][];
  /** Notices that the fold leaves out. They may still mention fields. */
  readonly leftOut: readonly N[];
  /** The notice as it was reported: the fold ranks a notice without effect lower. */
  readonly originalOf: (notice: N) => N;
};

/** A field that the highest notice sets. `only` limits which notices may set it. */
export function explainPick<N extends AnyNotice>(
  ranking: Ranking<N>,
  name: keyof N,
  only?: (notice: N) => boolean,
): Explained<N> {
  const read = (notice: N) => notice[name];
  const winner = ranking.ranked.find(name, only);
  const lost = mentionsOf(ranking, read).flatMap((mention) => {
    const { notice } = mention;
    if (notice === winner) return [];
    const isOther = winner === undefined || !isRanked(ranking, notice) || only?.(notice) === false;
    const rule = isOther ? 'other-record' : decideLoss(ranking, winner, notice, read);
    return [{ ...mention, rule }];
  });
  return { rule: 'highest-report', setBy: winner ? [winner] : [], lost };
}

/** A field that the earliest time sets. Of notices with the same time the highest is named. */
export function explainEarliest<N extends AnyNotice>(
  ranking: Ranking<N>,
  value: number | null,
  timeOf: (notice: N) => number | undefined,
  only: (notice: N) => boolean = () => true,
): Explained<N> {
  const mentions = mentionsOf(ranking, timeOf);
  const winner = mentions.find(
    ({ notice, value: time }) => time === value && isRanked(ranking, notice) && only(notice),
  )?.notice;
  const lost = mentions.flatMap((mention) => {
    const { notice } = mention;
    if (notice === winner) return [];
    if (!isRanked(ranking, notice)) return [{ ...mention, rule: 'other-record' as const }];
    if (!only(notice)) return [{ ...mention, rule: 'other-status' as const }];
    const isEqual = winner !== undefined && mention.value === value;
    return [
      { ...mention, rule: isEqual ? decideLoss(ranking, winner, notice, timeOf) : 'earliest' },
    ];
  });
  return { rule: 'earliest', setBy: winner ? [winner] : [], lost };
}

/** Nothing sets the field, whatever was reported. */
export function explainAbsent<N extends AnyNotice>(
  ranking: Ranking<N>,
  rule: Rule,
  read: (notice: N) => unknown,
): Explained<N> {
  const lost = mentionsOf(ranking, read).map((mention) => ({ ...mention, rule }));
  return { rule, setBy: [], lost };
}

/** The value of our own request stays, whatever was reported. Our request is the notice without a key. */
export function explainOwn<N extends AnyNotice>(
  ranking: Ranking<N>,
  read: (notice: N) => unknown,
): Explained<N> {
  const setBy = ranking.ranked.highestFirst.filter(isRequest).slice(0, 1);
  const lost = mentionsOf(ranking, read)
    .filter(({ notice }) => !isRequest(notice))
    .map((mention) => ({ ...mention, rule: 'own-request' as const }));
  return { rule: 'own-request', setBy, lost };
}

export function isRequest({ deliveryKey }: AnyNotice): boolean {
  return deliveryKey === '';
}

/** The notices that have a value, highest first. A request without a provider's id has an empty one. */
export function mentionsOf<N extends AnyNotice>(
  { ranked, leftOut }: Ranking<N>,
  read: (notice: N) => unknown,
): ReadonlyArray<Omit<Mention<N>, 'rule'>> {
  return [...ranked.highestFirst, ...leftOut.toSorted(byKey)].flatMap((notice) => {
    const value = read(notice);
    return value === undefined || value === '' ? [] : [{ notice, value }];
  });
}

/** Those of which this is true as they were reported, highest first. */
export function inRank<N extends AnyNotice>(
  { ranked, originalOf }: Ranking<N>,
  is: (reported: N) => boolean,
): N[] {
  return ranked.highestFirst.filter((notice) => is(originalOf(notice)));
}

function byKey(a: AnyNotice, b: AnyNotice): number {
  return a.deliveryKey < b.deliveryKey ? -1 : 1;
}

function isRanked<N extends AnyNotice>({ leftOut }: Ranking<N>, notice: N): boolean {
  return !leftOut.includes(notice);
}

/** What decides against a notice that may set a field as well as the winner may. Of the same value, nothing does. */
export function decideLoss<N extends AnyNotice>(
  { ranks, originalOf }: Ranking<N>,
  winner: N,
  loser: N,
  read: (notice: N) => unknown,
): Rule {
  const rankOf = ({ status }: N) => ranks.indexOf(status);
  const reported = originalOf(loser);
  if (reported.status !== loser.status && rankOf(reported) >= rankOf(winner))
    return 'without-effect';
  if (isDeepStrictEqual(read(winner), read(loser))) return 'also-reported';
  const precedence = decidePrecedence(winner, loser, ranks);
  switch (precedence) {
    case 'status':
      return 'highest-status';
    case 'time':
    case 'key':
      if (isRequest(loser)) return 'report-before-request';
      return precedence === 'time' ? 'later-time' : 'delivery-key';
    default:
      return precedence satisfies never;
  }
}
