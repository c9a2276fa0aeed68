/**
 * The disputes of an account for people: those that are not final by their deadline, the nearest first, then those without
 * a deadline, then the final ones, the newest first. Each part is read from an index, from the cursor on. Contract 17.6.
 */
import { type DisputeStatus, isFinalDispute } from '../../domain/disputes/dispute.ts';
import type { MinorUnits } from '../../domain/money/money.ts';
import type { Queryable } from '../../postgres/database.ts';
import { joinSql, type Sql, sql } from '../../postgres/sql.ts';
import {
  allOf,
  always,
  type Condition,
  compare,
  type FoundRows,
  findNewest,
  type StepRange,
} from '../newest.ts';
import { findRow, listRows, listValues } from '../query.ts';
import {
  type DisputeRow,
  disputeColumns,
  type StoredDispute,
  toStoredDispute,
} from './dispute-rows.ts';
import { isFinal, isUnfinished, waitsForShop } from './disputes.ts';

export type DisputeFilter = {
  readonly status?: DisputeStatus | undefined;
  readonly phase?: string | undefined;
  readonly provider?: string | undefined;
  readonly currency?: string | undefined;
  /** Those that changed then or later. */
  readonly changedSince?: Date | undefined;
};

/** `rank` sorts the list, the highest first. */
type ListedRow = DisputeRow & { readonly rank: number };
type ListedDispute = StoredDispute & Pick<ListedRow, 'rank'>;

/** Ranks are milliseconds: until a deadline they are subtracted, of a final dispute they are those of its last change. */
const deadlineRank = 9_000_000_000_000_000;
const noDeadlineRank = 8_000_000_000_000_000;

/** Sorts disputes of all accounts. Ranks are padded, so that they sort as text. */
export function disputeCursorOf({ rank, orderId, dispute }: ListedDispute): string {
  return [String(rank).padStart(16, '0'), orderId, dispute.disputeId].join('/');
}

export async function findFilteredDisputes(
  database: Queryable,
  accountId: string,
  { filter, before, ...range }: StepRange & { readonly filter: DisputeFilter },
): Promise<FoundRows<ListedDispute>> {
  const { status, phase, provider, currency, changedSince } = filter;
  const parts = partsBehind(before).filter(
    ({ isOver }) => status === undefined || isOver === isFinalDispute(status),
  );
  if (parts.length === 0) return { rows: [], lookedAt: 0, next: undefined };
  const found = await findNewest<ListedRow>(
    database,
    accountId,
    {
      columns: sql`${disputeColumns}, rank`,
      sortedBy: [sql`rank`, sql`order_id`, sql`dispute_id`],
      // Each part has its own.
      cursor: undefined,
      indexed: compare(sql`changed_at >=`, changedSince),
      looked: [
        ...compare(sql`status =`, status),
        ...compare(sql`phase =`, phase),
        ...compare(sql`provider =`, provider),
        ...compare(sql`currency =`, currency),
      ],
      from: (wanted, max, add) => {
        const selects = parts.map(
          ({ rank, conditions, sortedBy }) =>
            sql`(select *, ${rank} as rank from disputes
               where ${wanted} and ${allOf(conditions, add)}
               order by ${sortedBy}, order_id desc, dispute_id desc limit ${max})`,
        );
        return sql`(${joinSql(selects, ' union all ')}) listed`;
      },
    },
    range,
  );
  const toListed = (row: ListedRow): ListedDispute => ({ ...toStoredDispute(row), rank: row.rank });
  return { ...found, rows: found.rows.map(toListed), next: found.next && toListed(found.next) };
}

type Part = {
  readonly isOver: boolean;
  readonly rank: Sql;
  readonly conditions: readonly Condition[];
  /** As its index sorts it. */
  readonly sortedBy: Sql;
};

const millisecondsOf = (column: Sql) => sql`(extract(epoch from ${column}) * 1000)::bigint`;

/** The parts of the list that have rows behind the cursor. */
function partsBehind(cursor: string | undefined): Part[] {
  const [rankText, orderId, ...rest] = cursor?.split('/') ?? [];
  const last = cursor === undefined ? undefined : Number(rankText);
  const part = (isOver: boolean, rank: Sql, sortedBy: Sql, own: readonly Condition[]): Part => {
    const key = [last, orderId, rest.join('/')];
    const behind: Condition = (add) =>
      sql`(${rank}, order_id, dispute_id) < (${joinSql(key.map(add))})`;
    const isOfPart = () => (isOver ? isFinal : isUnfinished);
    const conditions = [isOfPart, ...own, last === undefined ? always : behind];
    return { isOver, rank, sortedBy, conditions };
  };
  const respondBy = sql`respond_by`;
  const changedAt = sql`changed_at`;
  const isAmongFinal = last !== undefined && last < noDeadlineRank;
  const final = part(true, millisecondsOf(changedAt), sql`${changedAt} desc`, [
    ...compare(sql`${changedAt} <=`, isAmongFinal ? new Date(last) : undefined),
  ]);
  if (isAmongFinal) return [final];
  const withoutDeadline = part(false, sql`${noDeadlineRank}`, respondBy, [
    () => sql`${respondBy} is null`,
  ]);
  if (last === noDeadlineRank) return [withoutDeadline, final];
  const deadline = sql`${deadlineRank} - ${millisecondsOf(respondBy)}`;
  const withDeadline = part(false, deadline, respondBy, [
    () => sql`${respondBy} is not null`,
    ...compare(sql`${respondBy} >=`, last && new Date(deadlineRank - last)),
  ]);
  return [withDeadline, withoutDeadline, final];
}

/** By the id of the provider. */
export async function findDispute(database: Queryable, accountId: string, disputeId: string) {
  const row = await findRow<DisputeRow>(database, [accountId, disputeId])`
    select ${disputeColumns} from disputes where account_id = $1 and dispute_id = $2
     order by order_id desc limit 1`;
  return row && toStoredDispute(row);
}

/** By the id of the provider, for the search. */
export function findOrderIdsOfDispute(database: Queryable, accountId: string, disputeId: string) {
  return listValues<string>(database, [accountId, disputeId])`
    select order_id from disputes where account_id = $1 and dispute_id = $2`;
}

export type DisputeSum = {
  /** Those that are not final wait for the shop, or else for the bank. */
  readonly kind: 'waiting' | 'under_review' | 'won' | 'lost';
  readonly currency: string | null;
  readonly count: number;
  readonly amount: MinorUnits;
  /** The nearest deadline. */
  readonly respondBy: Date | null;
};

/** At most `max` disputes that are not final, and `max` of those that ended last. */
export function sumDisputes(database: Queryable, accountId: string, max: number) {
  return listRows<DisputeSum>(database, [accountId, max])`
    select kind, currency, count(*) as count, coalesce(sum(amount), 0)::bigint as amount,
           min(respond_by) as "respondBy"
      from ((select case when ${waitsForShop} then 'waiting' else 'under_review' end as kind,
                    currency, amount, respond_by
               from disputes where account_id = $1 and ${isUnfinished} limit $2)
            union all
            (select status, currency, amount, null from disputes
              where account_id = $1 and ${isFinal} and status <> 'closed'
              order by changed_at desc limit $2)) summed
     group by kind, currency order by kind, currency`;
}
