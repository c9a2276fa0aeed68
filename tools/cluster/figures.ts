/** What the callers saw during one fault, in figures. */
import type { Answer } from './load.ts';
import type { Watch } from './watch.ts';

export type AnswerCounts = {
  /** How often each status was answered; 0 is no answer at all. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly unavailableWithoutRetryAfter: number;
};

/** What every run measures, whatever runs the database. */
export type CommonFigures = AnswerCounts & {
  readonly fault: string;
  readonly text: string;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** What the services logged as errors. */
  readonly defects: readonly string[];
};

export type FaultFigures = CommonFigures & {
  /** From the fault until another node led; null if none had to. */
  readonly promotionMs: number | null;
  /** The longest time in which the database itself committed nothing. */
  readonly databaseGapMs: number;
  readonly services: Readonly<Record<string, ServiceFigures>>;
};

type ServiceFigures = {
  /** The longest time without an answer of 2xx. */
  readonly gapMs: number;
  /** From the promotion, and from the first commit after the longest pause, to the first write that is answered 2xx. */
  readonly afterPromotionMs: number | null;
  readonly afterCommitMs: number;
};

type Window = {
  readonly from: number;
  readonly to: number;
  readonly promotedAt: number | undefined;
};

export function measure(
  { from, to, promotedAt }: Window,
  all: readonly Answer[],
  serviceNames: readonly string[],
  watch: Watch,
): Omit<FaultFigures, Exclude<keyof CommonFigures, keyof AnswerCounts>> {
  const answers = all.filter(({ at }) => at >= from && at <= to);
  const pause = longestPause(from, to, watch.commits());
  const services = serviceNames.map((name) => {
    const good = answers.filter(({ service, status }) => service === name && isGood(status));
    const writes = good.filter(({ kind }) => kind !== 'enquiry').map(({ at }) => at);
    const figures: ServiceFigures = {
      gapMs: longestGap(from, to, good),
      afterPromotionMs: promotedAt === undefined ? null : untilNext(writes, promotedAt, to),
      afterCommitMs: untilNext(writes, pause.to, to),
    };
    return [name, figures] as const;
  });
  return {
    ...countAnswers(answers),
    promotionMs: promotedAt === undefined ? null : Math.round(promotedAt - from),
    databaseGapMs: Math.round(lengthOf(pause)),
    services: Object.fromEntries(services),
  };
}

export function countAnswers(answers: readonly Answer[]): AnswerCounts {
  return {
    statuses: countBy(answers.map(({ status }) => String(status))),
    unavailableWithoutRetryAfter: answers.filter(
      ({ status, retryAfter }) => status === 503 && retryAfter === null,
    ).length,
  };
}

export function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The longest time without one of these answers. */
export function longestGap(from: number, to: number, answers: readonly Answer[]): number {
  const moments = answers.map(({ at }) => at);
  return Math.round(lengthOf(longestPause(from, to, moments)));
}

type Pause = { readonly from: number; readonly to: number };

/** Between two moments of a window; its end counts as one. */
export function longestPause(from: number, to: number, moments: readonly number[]): Pause {
  let longest: Pause = { from, to: from };
  let previous = from;
  const inside = moments.filter((at) => at >= from && at <= to).sort((one, other) => one - other);
  for (const at of [...inside, to]) {
    if (at - previous > lengthOf(longest)) longest = { from: previous, to: at };
    previous = at;
  }
  return longest;
}

function lengthOf({ from, to }: Pause): number {
  return to - from;
}

export function untilNext(moments: readonly number[], from: number, to: number): number {
  const next = Math.min(to, ...moments.filter((at) => at >= from));
  return Math.round(next - from);
}

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words.toSorted()) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
