/**
 * The overview of an account for a period, with what needs attention. Stored figures are at most a sweep old, so the
 * half hours that changed since are counted here. See docs/decisions/0045.
 */
import { type Figure, shareKinds } from '../../domain/reports/figure.ts';
import { countMax, limited } from '../../domain/reports/limited-count.ts';
import {
  buildOverview,
  type Period,
  type PeriodRequest,
  readPeriod,
} from '../../domain/reports/overview.ts';
import { dayAfter, dayOf, settledBefore, slotsBetween } from '../../domain/reports/slot.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { listEndpoints } from '../../store/accounts/endpoints.ts';
import { countDeliveriesOfState, countUndelivered } from '../../store/inbox/attention.ts';
import { sumDays } from '../../store/reports/figure-days.ts';
import { listSlotsChangedSince } from '../../store/reports/figure-slots.ts';
import {
  countSlot,
  listLargeSlots,
  sumFigures,
  sumFiguresByBucket,
} from '../../store/reports/figures.ts';
import { findPass, findWalk } from '../../store/reports/slot-cursors.ts';
import { sumAccountDisputes } from '../disputes/list-disputes.ts';
import { countReview } from '../review/list-review.ts';

export type AccountOverview = Awaited<ReturnType<typeof getOverview>>;

export async function getOverview(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  accountId: string,
  request: PeriodRequest,
) {
  const period = readPeriod(request);
  const now = clock();
  const { since, isLate } = await findUncounted(database, now);
  const fresh = await listFreshSlots(database, accountId, period, since, now);
  const range = { from: period.from, to: period.to, except: fresh };
  const [series, shares, counted, attention, walk] = await Promise.all([
    sumFiguresByBucket(database, accountId, { ...range, kinds: seriesKinds }, period),
    sumShares(database, accountId, range),
    countFresh(database, accountId, fresh),
    countAttention(database, accountId),
    findWalk(database, 'figures'),
  ]);
  // The shares are not shown by bucket, so they may all be in the first one.
  const placed = shares.map((share) => ({ ...share, startsAt: period.from }));
  const figures = [...series, ...placed, ...counted];
  // Figures may be too low until the first walk over all orders is complete, a while after an upgrade, and while the
  // sweep is far behind.
  const isComplete = walk.completed > 0 && !isLate;
  return { ...buildOverview(period, figures), attention, isComplete };
}

const seriesKinds = ['created', 'completed', 'paid', 'failed', 'refunded'] as const;

type Range = { readonly from: Date; readonly to: Date; readonly except: readonly Date[] };

/** Whole days of UTC are read as such, but for days of which a half hour is counted here. */
async function sumShares(database: Database, accountId: string, range: Range): Promise<Figure[]> {
  const { from, to, except } = range;
  const wholeFrom = dayAfter(dayOf(new Date(from.getTime() - 1)));
  const wholeTo = dayOf(to);
  const ofSlots = (part: Pick<Range, 'from' | 'to'>) =>
    sumFigures(database, accountId, { ...part, except, kinds: shareKinds });
  if (wholeFrom >= wholeTo) return ofSlots(range);
  const times = new Set(except.map((slot) => Number(dayOf(slot))));
  const days = [...times].map((time) => new Date(time));
  const cut = days.filter((day) => day >= wholeFrom && day < wholeTo);
  const parts = await Promise.all([
    sumDays(database, accountId, { from: wholeFrom, to: wholeTo, except: days }),
    ofSlots({ from, to: wholeFrom }),
    ofSlots({ from: wholeTo, to }),
    ...cut.map((day) => ofSlots({ from: day, to: dayAfter(day) })),
  ]);
  return parts.flat();
}

/** Counting takes time for every order. What exceeds these limits is as old as the last sweep. */
const freshSlotsMax = 12;
const freshOrdersMax = 20_000;

/** A sweep takes a minute. If it is behind by days, reading all that changed meanwhile would take too long. */
const uncountedSecondsMax = 3_600;

/** The time from which on changes may be missing in the stored figures; late if there are older ones. */
async function findUncounted(database: Database, now: Date) {
  const { reachedAt = now } = await findPass(database, 'figures');
  const settled = settledBefore(reachedAt < now ? reachedAt : now);
  const earliest = addSeconds(now, -uncountedSecondsMax);
  const isLate = settled < earliest;
  return { since: isLate ? earliest : settled, isLate };
}

/** The newest half hours whose stored figures may be behind. */
async function listFreshSlots(
  database: Database,
  accountId: string,
  { from, to }: Period,
  since: Date,
  now: Date,
): Promise<Date[]> {
  const changed = await listSlotsChangedSince(database, accountId, since);
  const candidates = [...slotsBetween(since, now), ...changed].filter(
    (slot) => slot >= from && slot < to,
  );
  const newest = [...new Set(candidates.map(Number))].sort((a, b) => b - a).slice(0, freshSlotsMax);
  const slots = newest.map((time) => new Date(time));
  const large = await listLargeSlots(database, accountId, slots, freshOrdersMax);
  return slots.filter((slot) => !large.some((other) => Number(other) === Number(slot)));
}

async function countFresh(database: Database, accountId: string, slots: readonly Date[]) {
  const counted = await Promise.all(
    slots.map(async (startsAt) => {
      const figures = await countSlot(database, { accountId, startsAt });
      return figures.map((figure) => ({ ...figure, startsAt }));
    }),
  );
  return counted.flat();
}

/** Counts what needs a person's attention in an account, up to a limit. The review includes dead deliveries. */
async function countAttention(database: Database, accountId: string) {
  const [review, disputes, parked, undelivered, endpoints] = await Promise.all([
    countReview({ database }, accountId),
    sumAccountDisputes({ database }, accountId),
    countDeliveriesOfState(database, accountId, 'parked', countMax + 1),
    countUndelivered(database, accountId, countMax + 1),
    listEndpoints(database, accountId),
  ]);
  const disabled = endpoints.filter(({ disabledReason }) => disabledReason !== null).length;
  return {
    review,
    // Those of the review that wait for the shop.
    disputes: { ...disputes.waiting, isMore: disputes.isMore.unfinished },
    parkedDeliveries: limited(parked),
    undeliveredEvents: limited(undelivered),
    disabledEndpoints: limited(disabled),
  };
}
