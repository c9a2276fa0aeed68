/** The overview of a period: sums for each hour or day, and for the whole. */
import { refuseField } from '../errors.ts';
import { addFigures, type Figure, type FigureKind, type FigureSum, noFigure } from './figure.ts';
import { slotAfter, slotMinutes, slotOf } from './slot.ts';

export type PeriodRequest = {
  readonly from: Date;
  readonly to: Date;
  readonly bucket: 'hour' | 'day';
  /** Of the local time from UTC: hours and days begin there. */
  readonly offsetMinutes: number;
};

export type Period = ReturnType<typeof readPeriod>;

const bucketSecondsOf = { hour: 3_600, day: 86_400 } as const;
const bucketsMax = 800;
const daysMax = 366;
const offsetMinutesMax = 14 * 60;

/** Whole half hours: a period that begins or ends within one covers all of it. */
export function readPeriod({ from, to, bucket, offsetMinutes }: PeriodRequest) {
  if (!(from < to)) refuseField('to', 'must be later than from');
  if (offsetMinutes % slotMinutes !== 0 || Math.abs(offsetMinutes) > offsetMinutesMax) {
    refuseField('offset_minutes', 'must be a number of whole half hours, at most 14 hours');
  }
  const seconds = (to.getTime() - from.getTime()) / 1_000;
  if (seconds > (daysMax + 1) * bucketSecondsOf.day) {
    refuseField('to', `must be at most ${daysMax} days after from`);
  }
  if (seconds / bucketSecondsOf[bucket] > bucketsMax) {
    refuseField('bucket', 'must be day for a period of more than a month');
  }
  const end = slotOf(to);
  return {
    from: slotOf(from),
    to: end < to ? slotAfter(end) : end,
    bucketSeconds: bucketSecondsOf[bucket],
    offsetSeconds: offsetMinutes * 60,
  };
}

/** Counted from the epoch, in local time. */
function bucketOf({ bucketSeconds, offsetSeconds }: Period, time: Date): number {
  return Math.floor((time.getTime() / 1_000 + offsetSeconds) / bucketSeconds);
}

export type CurrencySum = FigureSum & { readonly currency: string };

export type OverviewSums = ReturnType<typeof sumUp>;

export type Share = CurrencySum & { readonly name: string };

/** Several figures of one kind, name, currency and bucket are added. `startsAt` is a time of the bucket. */
export function buildOverview(
  period: Period,
  figures: ReadonlyArray<Figure & { readonly startsAt: Date }>,
) {
  const byBucket = Map.groupBy(figures, ({ startsAt }) => bucketOf(period, startsAt));
  return {
    from: period.from,
    to: period.to,
    buckets: listBuckets(period).map(({ bucket, from, to }) => ({
      from,
      to,
      ...sumUp(byBucket.get(bucket) ?? []),
    })),
    totals: sumUp(figures),
    modes: sharesOf('mode', figures),
    providers: sharesOf('provider', figures),
    failures: sharesOf('failure', figures),
  };
}

/** The first and the last one may be shorter than an hour or a day. */
function listBuckets(period: Period) {
  const { from, to, bucketSeconds, offsetSeconds } = period;
  const buckets: { bucket: number; from: Date; to: Date }[] = [];
  const last = bucketOf(period, new Date(to.getTime() - 1));
  for (let bucket = bucketOf(period, from); bucket <= last; bucket += 1) {
    const startMs = (bucket * bucketSeconds - offsetSeconds) * 1_000;
    buckets.push({
      bucket,
      from: new Date(Math.max(startMs, from.getTime())),
      to: new Date(Math.min(startMs + bucketSeconds * 1_000, to.getTime())),
    });
  }
  return buckets;
}

function sumUp(figures: readonly Figure[]) {
  const ofKind = (kind: FigureKind): CurrencySum[] =>
    sharesOf(kind, figures).map(({ name: _none, ...sum }) => sum);
  const [paid, failed] = [ofKind('paid'), ofKind('failed')];
  const succeeded = countPayments(paid);
  const finished = succeeded + countPayments(failed);
  return {
    created: ofKind('created'),
    completed: ofKind('completed'),
    paid,
    failed,
    refunded: ofKind('refunded'),
    /** Of 1,000 payments that succeeded or failed, how many succeeded; null without any. */
    successPermille: finished === 0 ? null : Math.floor((succeeded * 1_000) / finished),
  };
}

function countPayments(sums: readonly FigureSum[]): number {
  return sums.reduce((count, { payments }) => count + payments, 0);
}

/** By name and currency, those with the most orders first. */
function sharesOf(kind: FigureKind, figures: readonly Figure[]): Share[] {
  const shares = new Map<string, Share>();
  for (const figure of figures) {
    if (figure.kind !== kind) continue;
    const { name, currency } = figure;
    const key = keyOf(figure);
    shares.set(key, { name, currency, ...addFigures(shares.get(key) ?? noFigure, figure) });
  }
  return [...shares.values()].sort((a, b) => b.orders - a.orders || (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ currency, name }: Pick<Share, 'currency' | 'name'>) => `${currency} ${name}`;
