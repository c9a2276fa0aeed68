/** Lists the disputes of one account or of several, nearest deadline first, and adds up those of one. Contract 17.6. */
import { disputeLimits } from '../../domain/disputes/limits.ts';
import type { MinorUnits } from '../../domain/money/money.ts';
import { type ListedAccounts, type NewestQuery, readNewest } from '../../services/read-newest.ts';
import type { Services } from '../../services/services.ts';
import {
  type DisputeFilter,
  type DisputeSum,
  disputeCursorOf,
  findFilteredDisputes,
  sumDisputes,
} from '../../store/disputes/dispute-lists.ts';
import { listOrderRows } from '../../store/orders/order-list-rows.ts';

export type ListedDispute = Awaited<ReturnType<typeof listDisputes>>['disputes'][number];

/** `next` is what `after` continues with. A page with a next one may have few disputes, or none. */
export async function listDisputes(
  { database }: Pick<Services, 'database'>,
  accounts: ListedAccounts,
  { filter, ...query }: NewestQuery & { readonly filter: DisputeFilter },
) {
  const { rows, lookedAt, next } = await readNewest(database, accounts, query, {
    find: (from, accountId, range) => findFilteredDisputes(from, accountId, { ...range, filter }),
    cursorOf: disputeCursorOf,
  });
  const orders = await listOrderRows(database, rows);
  const invoices = new Map(orders.map(({ orderId, invoiceId }) => [orderId, invoiceId]));
  return {
    disputes: rows.map((row) => ({ ...row, invoiceId: invoices.get(row.orderId) ?? null })),
    lookedAt,
    next: next && disputeCursorOf(next),
  };
}

export function isDisputeCursor(text: string): boolean {
  return /^\d{16}\/[^/]+\/./.test(text);
}

export type DisputeTotals = Awaited<ReturnType<typeof sumAccountDisputes>>;

type Claim = { readonly currency: string; readonly amount: MinorUnits };

/** What waits for the shop, what is with the bank, and how those that ended last did: the share won is of these. */
export async function sumAccountDisputes(
  { database }: Pick<Services, 'database'>,
  accountId: string,
) {
  const max = disputeLimits.summedMax;
  const sums = await sumDisputes(database, accountId, max);
  const totalOf = (kind: DisputeSum['kind']) => {
    const own = sums.filter((sum) => sum.kind === kind);
    const count = own.reduce((total, sum) => total + sum.count, 0);
    const deadlines = own.flatMap(({ respondBy }) => respondBy?.getTime() ?? []);
    return {
      count,
      // A dispute without a currency has no amount.
      claims: own.flatMap(({ currency, amount }): Claim[] =>
        currency === null ? [] : [{ currency, amount }],
      ),
      respondBy: deadlines.length === 0 ? null : new Date(Math.min(...deadlines)),
    };
  };
  const won = totalOf('won');
  const lost = totalOf('lost');
  const waiting = totalOf('waiting');
  const underReview = totalOf('under_review');
  return {
    waiting,
    underReview,
    won,
    lost,
    /** There are more that are not final than were added up, and more that ended. */
    isMore: {
      unfinished: waiting.count + underReview.count >= max,
      ended: won.count + lost.count >= max,
    },
  };
}
