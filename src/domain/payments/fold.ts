/**
 * The fold shared by payments and refunds: each function decides one field. If the ranking has a trace, it also writes
 * down what set the field, and each other notice that mentions it with the rule by which it lost. Contract 4.2,
 * docs/decisions/0044.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type AnyNotice,
  type Decision,
  decidePrecedence,
  findHighest,
  isRequest,
  type Ranking,
  reportedStatusOf,
  type Setter,
  type Weighed,
} from './ranking.ts';
import type { Rule } from './rules.ts';
import type { Start } from './start.ts';
import { isFinal, sortedOnce } from './transaction.ts';

type Name<N> = keyof N & string;
type TimeName = 'startedAtMs' | 'recordedAtMs' | 'statusSinceMs';

/** The value of the highest notice that has the field. `only` limits which notices may set it. */
export function pick<N extends AnyNotice, Field extends Name<N>>(
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
): Decision<N> {
  const read = (notice: N) => notice[name];
  return decided(ranking, 'highest-report', winner ? [winner] : [], read, (notice) => {
    const mayWin = !ranking.leftOut.includes(notice) && only(notice);
    return winner && mayWin ? decideLoss(ranking, winner, notice, read) : 'other-record';
  });
}

/** The earliest time that notices have under this name. Of notices with the same time the highest is named. */
function pickEarliest<N extends AnyNotice>(
  ranking: Ranking<N>,
  field: string,
  name: TimeName,
  only: (notice: Weighed<N>) => boolean = () => true,
): number | null {
  const read = (notice: Weighed<N>): number | undefined => notice[name];
  const time = earliest(ranking.highestFirst, (notice) =>
    only(notice) ? read(notice) : undefined,
  );
  ranking.trace?.set(field, becauseEarliest(ranking, time, read, only));
  return time;
}

function becauseEarliest<N extends AnyNotice>(
  ranking: Ranking<N>,
  time: number | null,
  read: (notice: Weighed<N>) => number | undefined,
  only: (notice: Weighed<N>) => boolean,
): Decision<N> {
  const winner = ranking.highestFirst.find((notice) => read(notice) === time && only(notice));
  return decided(ranking, 'earliest', winner ? [winner] : [], read, (notice, value) => {
    if (ranking.leftOut.includes(notice)) return 'other-record';
    if (!only(notice)) return 'other-status';
    return winner && value === time ? decideLoss(ranking, winner, notice, read) : 'earliest';
  });
}

/** The value of our own request, whatever was reported. */
export function keepOwn<N extends AnyNotice, Value>(
  ranking: Ranking<N>,
  field: Name<N>,
  value: Value,
): Value {
  const read = (notice: N) => (isRequest(notice) ? undefined : notice[field]);
  const setBy = () => ranking.highestFirst.filter(isRequest).slice(0, 1);
  ranking.trace?.set(
    field,
    decided(ranking, 'own-request', setBy(), read, () => 'own-request'),
  );
  return value;
}

/** No value, whatever notices have under this name. */
function leaveEmpty<N extends AnyNotice>(
  ranking: Ranking<N>,
  field: string,
  rule: Rule,
  name: Name<N>,
): null {
  ranking.trace?.set(
    field,
    decided(
      ranking,
      rule,
      [],
      (notice) => notice[name],
      () => rule,
    ),
  );
  return null;
}

/** The fields that payments and refunds share, given the status. */
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

export function earliest<N>(
  notices: readonly N[],
  timeOf: (notice: N) => number | undefined,
): number | null {
  let first: number | null = null;
  for (const notice of notices) {
    const time = timeOf(notice);
    if (time !== undefined && (first === null || time < first)) first = time;
  }
  return first;
}

/** `read` is what a notice says about the field, `lossOf` what decides against a notice that did not set it. */
export function decided<N extends AnyNotice>(
  { highestFirst, leftOut }: Ranking<N>,
  rule: Rule,
  setBy: Decision<N>['setBy'],
  read: (notice: Weighed<N>) => unknown,
  lossOf: (notice: Weighed<N>, value: unknown) => Rule,
): Decision<N> {
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
function identityOf<N extends AnyNotice>(setter: Setter<N>): unknown {
  return typeof setter === 'string' ? setter : setter.deliveryKey || setter;
}

export function byKey(a: AnyNotice, b: AnyNotice): number {
  return a.deliveryKey < b.deliveryKey ? -1 : 1;
}

/** Some notices decide together. Every other one that has the field repeats one of them, or loses by the same rule. */
export function becauseTogether<N extends AnyNotice>(
  ranking: Ranking<N>,
  rule: Rule,
  setBy: Decision<N>['setBy'],
  name: keyof N,
): Decision<N> {
  const isRepeat = ({ pspTransactionId }: N, value: unknown) =>
    setBy.some(
      (setter) =>
        typeof setter !== 'string' &&
        setter.pspTransactionId === pspTransactionId &&
        setter[name] === value,
    );
  return decided(
    ranking,
    rule,
    setBy,
    (notice) => notice[name],
    (notice, value) => (isRepeat(notice, value) ? 'also-reported' : rule),
  );
}

/** What decides against a notice that may set a field as well as the winner may. Of the same value, nothing does. */
export function decideLoss<N extends AnyNotice>(
  { ranks }: Pick<Ranking<N>, 'ranks'>,
  winner: Weighed<N>,
  loser: Weighed<N>,
  read: (notice: Weighed<N>) => unknown,
): Rule {
  const reported = reportedStatusOf(loser);
  if (reported !== loser.status && ranks.indexOf(reported) >= ranks.indexOf(winner.status))
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
