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
  return {
    highest: (highestFirst[0]?.status ?? 'new') as N['status'],
    pick: (name, only) => {
      for (const notice of highestFirst) {
        if (notice[name] !== undefined && (!only || only(notice))) return notice[name] ?? null;
      }
      return null;
    },
  };
}

function sortByRank<N extends Foldable>(notices: readonly N[], ranks: readonly N['status'][]): N[] {
  const rank = (notice: N) => ranks.indexOf(notice.status);
  return [...notices].sort(
    (a, b) =>
      rank(b) - rank(a) ||
      (b.occurredAtMs ?? 0) - (a.occurredAtMs ?? 0) ||
      (b.deliveryKey < a.deliveryKey ? -1 : 1),
  );
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
