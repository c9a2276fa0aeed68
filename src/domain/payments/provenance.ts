/**
 * What the fold writes down about a field if it is traced: what set it, and each other notice that mentions it with the
 * rule by which it lost. docs/decisions/0044.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type AnyNotice,
  type Decision,
  decidePrecedence,
  isRequest,
  type Ranking,
  reportedStatusOf,
  type Setter,
  type Weighed,
} from './ranking.ts';
import type { Rule } from './rule.ts';

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

/** The highest notice sets the field. */
export function becausePicked<N extends AnyNotice>(
  ranking: Ranking<N>,
  name: keyof N,
  winner: Weighed<N> | undefined,
  only: (notice: N) => boolean = () => true,
): Decision<N> {
  const read = (notice: N) => notice[name];
  return decided(ranking, 'highest-report', winner ? [winner] : [], read, (notice) => {
    const mayWin = isFolded(ranking, notice) && only(notice);
    return winner && mayWin ? decideLoss(ranking, winner, notice, read) : 'other-record';
  });
}

function isFolded<N extends AnyNotice>({ leftOut }: Ranking<N>, notice: N): boolean {
  return !leftOut.includes(notice);
}

/** The earliest time sets the field. Of notices with the same time the highest is named. */
export function becauseEarliest<N extends AnyNotice>(
  ranking: Ranking<N>,
  time: number | null,
  name: keyof N,
  only: (notice: Weighed<N>) => boolean = () => true,
): Decision<N> {
  const read = (notice: N) => notice[name];
  const winner = ranking.highestFirst.find((notice) => read(notice) === time && only(notice));
  return decided(ranking, 'earliest', winner ? [winner] : [], read, (notice, value) => {
    if (!isFolded(ranking, notice)) return 'other-record';
    if (!only(notice)) return 'other-status';
    return winner && value === time ? decideLoss(ranking, winner, notice, read) : 'earliest';
  });
}

/** Nothing sets the field, whatever was reported. */
export function becauseAbsent<N extends AnyNotice>(
  ranking: Ranking<N>,
  rule: Rule,
  name: keyof N,
): Decision<N> {
  return decided(
    ranking,
    rule,
    [],
    (notice) => notice[name],
    () => rule,
  );
}

/** The value of our own request stays. */
export function becauseOwn<N extends AnyNotice>(ranking: Ranking<N>, name: keyof N): Decision<N> {
  const setBy = ranking.highestFirst.filter(isRequest).slice(0, 1);
  const read = (notice: N) => (isRequest(notice) ? undefined : notice[name]);
  return decided(ranking, 'own-request', setBy, read, () => 'own-request');
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
