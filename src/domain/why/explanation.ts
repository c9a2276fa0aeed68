/**
 * The explanation of an order: its timeline, and what set each field of its transactions. An order may have thousands of
 * deliveries, so both are pages, and what is left out is counted.
 */
import type { Order, OrderStatus } from '../orders/order.ts';
import type { Hold } from '../payments/records.ts';
import type { Transaction } from '../payments/transaction.ts';
import {
  type AmountStyle,
  maskValue,
  type ShownAmounts,
  shownName,
  shownValue,
} from './effects.ts';
import type { ExplainedField } from './explain-transaction.ts';
import type { TimelineEntry } from './timeline.ts';

export type OrderExplanation = {
  readonly order: Pick<
    Order,
    'accountId' | 'orderId' | 'invoiceId' | 'attempts' | 'flags' | 'createdAt' | 'lapsesAt'
  > & { readonly status: OrderStatus; readonly amounts: ShownAmounts };
  /** When it was made; the status of an order and of a partial capture depends on time. */
  readonly explainedAt: Date;
  readonly timeline: Timeline;
  /** By their ids, which is by time. */
  readonly transactions: readonly ExplainedTransaction[];
  readonly transactionsTotal: number;
  /** The last transaction of this page if more follow. */
  readonly nextTransactionsAfter: string | null;
  /** Deliveries that are applied to no transaction. */
  readonly held: ReadonlyArray<{ readonly deliveryId: string | null; readonly hold: Hold }>;
};

export type Timeline = {
  /** Oldest first. */
  readonly entries: readonly TimelineEntry[];
  /** Older entries are on the page up to this time; null if there are none. */
  readonly olderUpTo: Date | null;
  /** The oldest rows of the history were pruned by age. */
  readonly isPruned: boolean;
};

export type ExplainedTransaction = Pick<
  Transaction,
  'transactionId' | 'type' | 'provider' | 'status' | 'currency'
> & { readonly providerName: string; readonly fields: readonly ShownField[] };

/** Names and values are those of the API. */
export type ShownField = ReturnType<typeof showField>;

/** Rows of the history, deliveries, events and attempts on one page of the timeline. More than one batch can add. */
export const timelineRowsMax = 150;
export const timelineEntriesMax = 100;
export const transactionsPerPage = 5;
const sourcesMax = 5;

/** A field as readers see it. A transaction may have hundreds of notices, and all of them mention its status. */
export function showField(
  field: ExplainedField,
  currency: string | null,
  masked: boolean,
  amounts?: AmountStyle,
) {
  const { setBy, lost, previous } = field;
  const show = (value: unknown) =>
    shownValue(field.field, maskValue(field.field, value, masked), currency, amounts);
  return {
    ...field,
    field: shownName(field.field),
    value: show(field.value),
    previous: previous && { ...previous, value: show(previous.value) },
    setBy: setBy.slice(0, sourcesMax),
    /** How many more there are than are listed. */
    setByMore: Math.max(0, setBy.length - sourcesMax),
    lost: lost.slice(0, sourcesMax).map((each) => ({ ...each, value: show(each.value) })),
    lostMore: Math.max(0, lost.length - sourcesMax),
  };
}

/**
 * Where a page begins: behind the oldest row of each table that has more rows, and behind as many rows of all tables as
 * a page has. What happened until then is on the next page. Null if the rows are all there is. `tables`: the times of the
 * rows that were read of each, newest first.
 */
export function findPageBegin(tables: ReadonlyArray<readonly Date[]>): Date | null {
  const begins = [...tables, tables.flat().sort((a, b) => b.getTime() - a.getTime())].flatMap(
    (times) => times[timelineRowsMax - 1] ?? [],
  );
  return begins.length === 0 ? null : new Date(Math.max(...begins.map((at) => at.getTime())));
}

export function cutTimeline(entries: readonly TimelineEntry[], begin: Date | null) {
  // A row may be several entries, and most readers look at the newest ones.
  const beyond = entries.at(-timelineEntriesMax - 1);
  const oldest = [begin, beyond?.at].flatMap((at) => at?.getTime() ?? []);
  if (oldest.length === 0) return { entries, olderUpTo: null };
  const cutMs = Math.max(...oldest);
  const kept = entries.filter(({ at }) => at.getTime() > cutMs);
  if (kept.length > 0) return { entries: kept, olderUpTo: new Date(cutMs) };
  // All of them have the same time: the next page must go on behind it.
  return {
    entries: entries.filter(({ at }) => at.getTime() === cutMs),
    olderUpTo: new Date(cutMs - 1),
  };
}
