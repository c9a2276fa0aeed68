/**
 * The notices of a transaction, highest first: by the rank of their status, then by the provider's time, then by the
 * delivery key. Contract 4.2. A ranking may have a trace, into which the fold writes what set each field.
 */
import { rankOf } from './notice.ts';
import type { Rule } from './rules.ts';
import type { AnyNotice } from './transaction.ts';

/** A notice with the rank that it has in the fold. One without effect ranks lower than the status that it reports. */
export type Weighed<N extends AnyNotice> = N & { readonly reportedStatus?: N['status'] };

export type Ranking<N extends AnyNotice> = {
  readonly highestFirst: ReadonlyArray<Weighed<N>>;
  /** Notices that are not folded, although they mention fields. Needed for a trace, which webhooks do not have. */
  readonly leftOut: readonly N[];
  readonly trace: Trace | undefined;
};

/** What the fold decides about each field. A later decision about a field replaces the one before. */
export type Trace = Map<string, Decision>;

export type Decision = {
  readonly rule: Rule;
  /** One, or all of those that add up to the value. Empty if nothing sets it. */
  readonly setBy: readonly Setter[];
  /** The highest first, each with what decided against it. */
  readonly lost: ReadonlyArray<{
    readonly notice: AnyNotice;
    readonly value: unknown;
    readonly rule: Rule;
  }>;
};

export type Setter = AnyNotice | 'order' | 'time';

export function rankNotices<N extends AnyNotice>(
  notices: ReadonlyArray<Weighed<N>>,
  trace?: Trace,
  leftOut: readonly N[] = [],
): Ranking<N> {
  if (notices.length < 2) return { highestFirst: notices, leftOut, trace };
  const highestFirst = notices.toSorted(
    (a, b) =>
      rankOf(b.status) - rankOf(a.status) ||
      // A notice without a time comes last.
      (b.occurredAtMs ?? 0) - (a.occurredAtMs ?? 0) ||
      (b.deliveryKey < a.deliveryKey ? -1 : 1),
  );
  return { highestFirst, leftOut, trace };
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

/** True for our own request among the notices: it has no delivery. */
export const isRequest = ({ deliveryKey }: AnyNotice): boolean => deliveryKey === '';

export function reportedStatusOf<N extends AnyNotice>(notice: Weighed<N>): N['status'] {
  return notice.reportedStatus ?? notice.status;
}
