/**
 * The fold shared by payments and refunds: each function decides one field. If the ranking has a trace, it also writes
 * down what set the field, and each other notice that mentions it with the rule by which it lost. Contract 4.2,
 * docs/decisions/0044.
 */
import { isDeepStrictEqual } from 'node:util';
import { rankOf } from './notice.ts';
import {
  type Decision,
  findHighest,
  isRequest,
  type Ranking,
  reportedStatusOf,
  type Setter,
  type Weighed,
} from './ranking.ts';
import type { Rule } from './rules.ts';
import type { Start } from './start.ts';
import { type AnyNotice, isFinal, sortedOnce } from './transaction.ts';

/** The value of the highest notice that has the field. `only` limits which notices may set it. */
export function pick<N extends AnyNotice, Field extends keyof N & string>(
  ranking: Ranking<N>,
  field: Field,
  only?: (notice: N) => boolean,
): NonNullable<N[Field]> | null {
  const winner = findHighest(ranking, field, only);
  ranking.trace?.set(field, becausePicked(ranking, field, winner, only));
  return winner?.[field] ?? null;
}

export function becausePicked<N extends AnyNotice>(
  ranking: Ranking<N>,
  name: keyof N,
  winner: Weighed<N> | undefined,
  only: (notice: N) => boolean = () => true,
): Decision {
  const read = (notice: N) => notice[name];
  return decided(ranking, 'highest-report', winner ? [winner] : [], read, (notice) => {
    const mayWin = !ranking.leftOut.includes(notice) && only(notice);
    return winner && mayWin ? decideLoss(winner, notice, read) : 'other-record';
  });
}

/** The earliest time that notices have under this name. Of notices with the same time the highest is named. */
function pickEarliest<N extends AnyNotice>(
  ranking: Ranking<N>,
  field: string,
  name: 'startedAtMs' | 'statusSinceMs',
  only: (notice: N) => boolean = () => true,
): number | null {
  const { highestFirst, leftOut, trace } = ranking;
  const read = (notice: N): number | undefined => notice[name];
  const time = earliest(highestFirst, (notice) => (only(notice) ? read(notice) : undefined));
  if (!trace) return time;
  const winner = highestFirst.find((notice) => read(notice) === time && only(notice));
  const because = decided(ranking, 'earliest', winner ? [winner] : [], read, (notice, value) => {
    if (leftOut.includes(notice)) return 'other-record';
    if (!only(notice)) return 'other-status';
    return winner && value === time ? decideLoss(winner, notice, read) : 'earliest';
  });
  trace.set(field, because);
  return time;
}

export function keepOwn<N extends AnyNotice, Value>(
  ranking: Ranking<N>,
  field: keyof N & string,
  value: Value,
  rule: Rule = 'own-request',
): Value {
  const { highestFirst, trace } = ranking;
  const read = (notice: N) => (isRequest(notice) ? undefined : notice[field]);
  trace?.set(field, decided(ranking, rule, highestFirst.filter(isRequest).slice(0, 1), read));
  return value;
}

function leaveEmpty<N extends AnyNotice>(
  ranking: Ranking<N>,
  field: string,
  rule: Rule,
  name: keyof N,
): null {
  ranking.trace?.set(
    field,
    decided(ranking, rule, [], (notice) => notice[name]),
  );
  return null;
}

export function commonFields<N extends AnyNotice>(
  ranking: Ranking<N>,
  status: N['status'],
  start: Start | null,
) {
  const { highestFirst } = ranking;
  return {
    startedAtMs: start
      ? keepOwn(ranking, 'startedAtMs', start.atMs)
      : pickEarliest(ranking, 'startedAtMs', 'startedAtMs'),
    recordedAtMs: earliest(highestFirst, ({ recordedAtMs }) => recordedAtMs),
    finishedAtMs: isFinal(status)
      ? pickEarliest(ranking, 'finishedAtMs', 'statusSinceMs', (notice) => notice.status === status)
      : leaveEmpty(ranking, 'finishedAtMs', 'only-when-final', 'statusSinceMs'),
    message: pick(ranking, 'message'),
    failure:
      status === 'failed'
        ? pick(ranking, 'failure')
        : leaveEmpty(ranking, 'failure', 'only-while-failed', 'failure'),
    flags: sortedOnce(highestFirst.flatMap((notice) => notice.flags ?? [])),
  };
}

export function earliest<N>(notices: readonly N[], timeOf: (notice: N) => number | undefined) {
  let first: number | null = null;
  for (const notice of notices) {
    const time = timeOf(notice);
    if (time !== undefined && (first === null || time < first)) first = time;
  }
  return first;
}

/**
 * `read` is what a notice says about the field, `lossOf` what decides against a notice that did not set it: the rule by
 * which the others set it, unless given.
 */
export function decided<N extends AnyNotice>(
  { highestFirst, leftOut }: Ranking<N>,
  rule: Rule,
  setBy: readonly Setter[],
  read: (notice: Weighed<N>) => unknown,
  lossOf: (notice: Weighed<N>, value: unknown) => Rule = () => rule,
): Decision {
  const setters = new Set(setBy.map(identityOf));
  const lost = [...highestFirst, ...leftOut.toSorted(byKey)].flatMap((notice) => {
    const value = read(notice);
    // A request without a provider's id has an empty one.
    const isMentioned = value !== undefined && value !== '';
    if (!isMentioned || setters.has(identityOf(notice))) return [];
    return [{ notice, value, rule: lossOf(notice, value) }];
  });
  return { rule, setBy, lost };
}

/** A weighed notice may be a copy of the stored one. A split refund has several requests, all without a key. */
function identityOf(setter: Setter): unknown {
  return typeof setter === 'string' ? setter : setter.deliveryKey || setter;
}

type Keyed = Pick<AnyNotice, 'deliveryKey'>;

export const byKey = (a: Keyed, b: Keyed) => (a.deliveryKey < b.deliveryKey ? -1 : 1);

/** Some notices decide together. Every other one that has the field repeats one of them, or loses by the same rule. */
export function becauseTogether<N extends AnyNotice>(
  ranking: Ranking<N>,
  rule: Rule,
  setBy: ReadonlyArray<N | 'order'>,
  name: keyof N,
): Decision {
  const read = (notice: N) => notice[name];
  return decided(ranking, rule, setBy, read, ({ pspTransactionId }, value) => {
    const isRepeat = setBy.some(
      (setter) =>
        setter !== 'order' &&
        setter.pspTransactionId === pspTransactionId &&
        setter[name] === value,
    );
    return isRepeat ? 'also-reported' : rule;
  });
}

/** What decides against a notice that may set a field as well as the winner may. Of the same value, nothing does. */
export function decideLoss<N extends AnyNotice>(
  winner: Weighed<N>,
  loser: Weighed<N>,
  read: (notice: Weighed<N>) => unknown,
): Rule {
  const reported = reportedStatusOf(loser);
  if (reported !== loser.status && rankOf(reported) >= rankOf(winner.status))
    return 'without-effect';
  if (isDeepStrictEqual(read(winner), read(loser))) return 'also-reported';
  if (winner.status !== loser.status) return 'highest-status';
  if (isRequest(loser)) return 'report-before-request';
  const isLater = (winner.occurredAtMs ?? 0) !== (loser.occurredAtMs ?? 0);
  return isLater ? 'later-time' : 'delivery-key';
}
