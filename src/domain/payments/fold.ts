/**
 * The fold shared by payments and refunds. Each field comes from the highest notice that has it: by the rank of
 * its status, then by the provider's time, then by the delivery key. Contract 4.2.
 */
import {
  isFinal,
  type StoredPaymentNotice,
  type StoredRefundNotice,
  sortedOnce,
} from './transaction.ts';

type Foldable = StoredPaymentNotice | StoredRefundNotice;

export type Folded<N extends Foldable> = {
  /** The highest status of all notices. */
  readonly highest: N['status'];
  readonly highestFirst: readonly N[];
  /** The notice that sets a field. */
  readonly find: (name: keyof N, only?: (notice: N) => boolean) => N | undefined;
  /** The value that it sets. */
  readonly pick: <Name extends keyof N>(
    name: Name,
    only?: (notice: N) => boolean,
  ) => NonNullable<N[Name]> | null;
};

export function foldNotices<N extends Foldable>(
  notices: readonly N[],
  ranks: readonly N['status'][],
): Folded<N> {
  const highestFirst = notices.length < 2 ? notices : sortByRank(notices, ranks);
  const find: Folded<N>['find'] = (name, only) => {
    for (const notice of highestFirst) {
      if (notice[name] !== undefined && (!only || only(notice))) return notice;
    }
    return undefined;
  };
  return {
    highest: (highestFirst[0]?.status ?? 'new') as N['status'],
    highestFirst,
    find,
    pick: (name, only) => find(name, only)?.[name] ?? null,
  };
}

function sortByRank<N extends Foldable>(notices: readonly N[], ranks: readonly N['status'][]): N[] {
  return [...notices].sort(
    (a, b) => byStatus(a, b, ranks) || byTime(a, b) || (b.deliveryKey < a.deliveryKey ? -1 : 1),
  );
}

function byStatus<N extends Foldable>(a: N, b: N, ranks: readonly N['status'][]): number {
  return ranks.indexOf(b.status) - ranks.indexOf(a.status);
}

/** A notice without a time comes last. */
function byTime(a: Foldable, b: Foldable): number {
  return (b.occurredAtMs ?? 0) - (a.occurredAtMs ?? 0);
}

/** What decides which of two notices sets a field that both have. */
export function decidePrecedence<N extends Foldable>(
  a: N,
  b: N,
  ranks: readonly N['status'][],
): 'status' | 'time' | 'key' {
  if (byStatus(a, b, ranks) !== 0) return 'status';
  return byTime(a, b) !== 0 ? 'time' : 'key';
}

/** The fields that payments and refunds share, given the status. */
export function commonFields<N extends Foldable>(
  notices: readonly N[],
  { pick }: Folded<N>,
  status: N['status'],
) {
  const statusSince = (notice: N) => (notice.status === status ? notice.statusSinceMs : undefined);
  return {
    currency: pick('currency'),
    startedAtMs: earliest(notices, (notice) => notice.startedAtMs),
    recordedAtMs: earliest(notices, (notice) => notice.recordedAtMs),
    finishedAtMs: isFinal(status) ? earliest(notices, statusSince) : null,
    message: pick('message'),
    failure: status === 'failed' ? pick('failure') : null,
    flags: sortedOnce(notices.flatMap((notice) => notice.flags ?? [])),
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
