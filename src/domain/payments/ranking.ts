/**
 * The notices of a transaction, highest first: by the rank of their status, then by the provider's time, then by the
 * delivery key. Contract 4.2. A ranking may have a trace, into which the fold writes what set each field.
 */
import type { Rule } from './rules.ts';
import type { StoredPaymentNotice, StoredRefundNotice } from './transaction.ts';

export type AnyNotice = StoredPaymentNotice | StoredRefundNotice;

/** A notice with the rank that it has in the fold. One without effect ranks lower than the status that it reports. */
export type Weighed<N extends AnyNotice> = N & { readonly reportedStatus?: N['status'] };

export type Ranking<N extends AnyNotice> = {
  readonly highestFirst: ReadonlyArray<Weighed<N>>;
  readonly ranks: readonly N['status'][];
  /** Notices that are not folded, although they mention fields. Only needed for a trace. */
  readonly leftOut: readonly N[];
  /** Absent for webhooks: nobody asks why. */
  readonly trace: Trace<N> | undefined;
};

/** Takes what the fold decides about each field. A later decision about a field replaces the one before. */
export type Trace<N extends AnyNotice> = {
  readonly set: (field: string, decision: Decision<N>) => void;
};

/** What set a field, and what else mentioned it and lost. */
export type Decision<N extends AnyNotice> = {
  readonly rule: Rule;
  /** One, or all of those that add up to the value. Empty if nothing sets it. */
  readonly setBy: ReadonlyArray<Setter<N>>;
  /** The highest first. */
  readonly lost: ReadonlyArray<Mention<N>>;
};

/** A notice, what the order expects, or time. */
export type Setter<N extends AnyNotice> = N | 'order' | 'time';

type Mention<N extends AnyNotice> = {
  readonly notice: N;
  readonly value: unknown;
  /** What decided against it. */
  readonly rule: Rule;
};

export function rankNotices<N extends AnyNotice>(
  notices: ReadonlyArray<Weighed<N>>,
  ranks: readonly N['status'][],
  trace?: Trace<N>,
  leftOut: readonly N[] = [],
): Ranking<N> {
  const highestFirst = notices.length < 2 ? notices : sortByRank(notices, ranks);
  return { highestFirst, ranks, leftOut, trace };
}

/** The notice that sets a field: the highest that has it. `only` limits which notices may set it. */
export function findHighest<N extends AnyNotice>(
  { highestFirst }: Ranking<N>,
  name: keyof N,
  only?: (notice: Weighed<N>) => boolean,
): Weighed<N> | undefined {
  for (const notice of highestFirst) {
    if (notice[name] !== undefined && (!only || only(notice))) return notice;
  }
  return undefined;
}

function sortByRank<N extends AnyNotice>(
  notices: ReadonlyArray<Weighed<N>>,
  ranks: readonly N['status'][],
): Array<Weighed<N>> {
  return [...notices].sort(
    (a, b) => byStatus(a, b, ranks) || byTime(a, b) || (b.deliveryKey < a.deliveryKey ? -1 : 1),
  );
}

function byStatus<N extends AnyNotice>(a: N, b: N, ranks: readonly N['status'][]): number {
  return ranks.indexOf(b.status) - ranks.indexOf(a.status);
}

/** A notice without a time comes last. */
function byTime(a: AnyNotice, b: AnyNotice): number {
  return (b.occurredAtMs ?? 0) - (a.occurredAtMs ?? 0);
}

/** What decides which of two notices sets a field that both have. */
export function decidePrecedence<N extends AnyNotice>(
  a: N,
  b: N,
  ranks: readonly N['status'][],
): 'status' | 'time' | 'key' {
  if (byStatus(a, b, ranks) !== 0) return 'status';
  return byTime(a, b) !== 0 ? 'time' : 'key';
}

/** True for our own request among the notices: it has no delivery. */
export function isRequest({ deliveryKey }: AnyNotice): boolean {
  return deliveryKey === '';
}

export function reportedStatusOf<N extends AnyNotice>(notice: Weighed<N>): N['status'] {
  return notice.reportedStatus ?? notice.status;
}
