/**
 * The fold shared by payments and refunds: each function decides one field. If the ranking has a trace, it also writes
 * down what set the field, and which notices lost by which rule (`provenance.ts`). Contract 4.2.
 */
import { becauseAbsent, becauseEarliest, becauseOwn, becausePicked } from './provenance.ts';
import { type AnyNotice, findHighest, type Ranking, type Weighed } from './ranking.ts';
import type { Rule } from './rule.ts';
import type { Start } from './start.ts';
import { isFinal, sortedOnce } from './transaction.ts';

type Name<N> = keyof N & string;
type TimeName = 'startedAtMs' | 'recordedAtMs' | 'statusSinceMs';

/** The value of the highest notice that has the field. */
export function pick<N extends AnyNotice, Field extends Name<N>>(
  ranking: Ranking<N>,
  field: Field,
  only?: (notice: N) => boolean,
): NonNullable<N[Field]> | null {
  const winner = findHighest(ranking, field, only);
  ranking.trace?.set(field, becausePicked(ranking, field, winner, only));
  return winner?.[field] ?? null;
}

/** The earliest time that notices have under this name. */
export function pickEarliest<N extends AnyNotice>(
  ranking: Ranking<N>,
  field: string,
  name: TimeName,
  only?: (notice: Weighed<N>) => boolean,
): number | null {
  const timeOf = (notice: Weighed<N>) =>
    !only || only(notice) ? (notice[name] as number | undefined) : undefined;
  const time = earliest(ranking.highestFirst, timeOf);
  ranking.trace?.set(field, becauseEarliest(ranking, time, name, only));
  return time;
}

/** The value of our own request, whatever was reported. */
export function keepOwn<N extends AnyNotice, Value>(
  ranking: Ranking<N>,
  field: Name<N>,
  value: Value,
): Value {
  ranking.trace?.set(field, becauseOwn(ranking, field));
  return value;
}

/** No value, whatever notices have under this name. */
export function leaveEmpty<N extends AnyNotice>(
  ranking: Ranking<N>,
  field: string,
  rule: Rule,
  name: Name<N>,
): null {
  ranking.trace?.set(field, becauseAbsent(ranking, rule, name));
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
