/**
 * The table `disputes`: the state of each dispute as its order has it, for lists, metrics and polls. The order's own row
 * has the notices it is folded from.
 */
import type { Dispute } from '../../domain/disputes/dispute.ts';
import type { MinorUnits } from '../../domain/money/money.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { toDate } from '../../domain/time.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import type { ReviewPage } from '../inbox/review.ts';
import type { OrderKey } from '../order-rows.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';
import { changesOne, execute, firstBy, listRows } from '../query.ts';

type DisputeKey = OrderKey & {
  readonly provider: ProviderName;
  readonly disputeId: string;
};

export type SavedDispute = OrderKey & {
  readonly provider: ProviderName;
  readonly dispute: Dispute;
  /** The disputed payment. */
  readonly transactionId: string;
  readonly changedAt: Date;
  /** When it is polled next; null if it is not polled. A poll that is planned already stays. */
  readonly nextPollAt: Date | null;
};

const saved = defineAccountRows<SavedDispute>(
  { text: ['orderId', 'provider', 'transactionId'], timestamptz: ['changedAt', 'nextPollAt'] },
  {
    dispute_id: ['text', ({ dispute }) => dispute.disputeId],
    status: ['text', ({ dispute }) => dispute.status],
    phase: ['text', ({ dispute }) => dispute.phase],
    reason_code: ['text', ({ dispute }) => dispute.reasonCode],
    reason: ['text', ({ dispute }) => dispute.reason],
    amount: ['bigint', ({ dispute }) => dispute.amount],
    currency: ['text', ({ dispute }) => dispute.currency],
    amount_deducted: ['bigint', ({ dispute }) => dispute.amountDeducted],
    respond_by: ['timestamptz', ({ dispute }) => toDate(dispute.respondByMs)],
    action_required: ['boolean', ({ dispute }) => dispute.actionRequired],
    created_at: ['timestamptz', ({ dispute }) => toDate(dispute.createdAtMs)],
  },
);

/** The orders must be locked, so that two batches do not insert the same dispute. */
export async function saveDisputes(tx: Transaction, changed: readonly SavedDispute[]) {
  await saved.query(tx, changed, 'save-disputes')`
    insert into disputes as d (account_id, order_id, provider, dispute_id, transaction_id, status,
                               phase, reason_code, reason, amount, currency, amount_deducted,
                               respond_by, action_required, created_at, changed_at, next_poll_at)
    select ${accountOf('row')}, row.order_id, row.provider, row.dispute_id, row.transaction_id,
           row.status, row.phase, row.reason_code, row.reason, row.amount, row.currency,
           row.amount_deducted, row.respond_by, row.action_required, row.created_at,
           row.changed_at, row.next_poll_at
      from ${saved.from}
    on conflict (account_id, order_id, provider, dispute_id) do update
       set transaction_id = excluded.transaction_id, status = excluded.status,
           phase = excluded.phase, reason_code = excluded.reason_code, reason = excluded.reason,
           amount = excluded.amount, currency = excluded.currency,
           amount_deducted = excluded.amount_deducted, respond_by = excluded.respond_by,
           action_required = excluded.action_required, created_at = excluded.created_at,
           changed_at = excluded.changed_at,
           next_poll_at = case when excluded.next_poll_at is null then null
                         else coalesce(d.next_poll_at, excluded.next_poll_at) end`;
}

const removedRows = defineAccountRows<DisputeKey>({ text: ['orderId', 'provider', 'disputeId'] });

/** Those that belong to no payment any more, after an order was folded again. */
export async function deleteDisputes(tx: Transaction, removed: readonly DisputeKey[]) {
  await removedRows.query(tx, removed, 'delete-disputes')`
    delete from disputes d using ${removedRows.from}
     where d.account_id = ${accountOf('row')} and d.order_id = row.order_id
       and d.provider = row.provider and d.dispute_id = row.dispute_id`;
}

/** A dispute that waits for the shop. One that is under review waits for the bank. */
export type DisputeToReview = DueDispute & {
  readonly amount: MinorUnits | null;
  readonly currency: string | null;
  readonly respondBy: Date | null;
  readonly since: Date;
};

export const isUnfinished = sql`status in ('open', 'under_review')`;
export const isFinal = sql`status in ('closed', 'won', 'lost')`;
export const waitsForShop = sql`${isUnfinished} and (status = 'open' or action_required)`;
/** What they claim cannot be refunded. Contract 17.3. */
export const isClaiming = sql`status in ('open', 'under_review', 'lost')`;

/** `after` is the key of a dispute behind its account, as `keyOfDispute` writes it. */
export function listDisputesToReview(database: Queryable, { accountId, after, limit }: ReviewPage) {
  const [orderId = '', provider = '', ...rest] = (after?.id ?? '').split('/');
  const values = [accountId ?? after?.accountId ?? '', orderId, provider, rest.join('/'), limit];
  const isOne = accountId === undefined ? sql`` : sql`and account_id = $1`;
  return listRows<DisputeToReview>(database, values)`
    select ${columnsOf('accountId, orderId, provider, disputeId, transactionId, amount, currency, respondBy')},
           coalesce(created_at, changed_at) as since
      from disputes
     where ${waitsForShop} and (account_id, order_id, provider, dispute_id) > ($1, $2, $3, $4)
       ${isOne}
     order by account_id, order_id, provider, dispute_id limit $5`;
}

export function keyOfDispute({ orderId, provider, disputeId }: DisputeKey): string {
  return `${orderId}/${provider}/${disputeId}`;
}

/** What is not final yet, and the nearest deadline of what waits for a shop; of more than `limit`, any so many. */
export function countUnfinishedDisputes(database: Queryable, limit: number) {
  type Counted = {
    readonly currency: string | null;
    readonly count: number;
    readonly amount: MinorUnits;
    readonly respondBy: Date | null;
  };
  return listRows<Counted>(database, [], 'count-unfinished-disputes')`
    select currency, count(*) as count, coalesce(sum(amount), 0)::bigint as amount,
           min(respond_by) filter (where ${waitsForShop}) as "respondBy"
      from (select currency, amount, respond_by, status, action_required from disputes
             where ${isUnfinished} ${firstBy(limit)}) as counted
     group by currency`;
}

export type DueDispute = DisputeKey & { readonly transactionId: string };

/** Reads one table and locks nothing, because the rows belong to many accounts. Contract 10.4. */
export function listDueDisputes(database: Queryable, now: Date, limit: number) {
  return listRows<DueDispute>(database, [now, limit], 'list-due-disputes')`
    select ${columnsOf('accountId, orderId, provider, disputeId, transactionId')} from disputes
     where next_poll_at <= $1 order by next_poll_at limit $2`;
}

/** Ends the race of several processes: false if another one has planned the next poll, or the dispute is final. */
export function claimDisputePoll(
  database: Queryable,
  { accountId, orderId, provider, disputeId }: DisputeKey,
  now: Date,
  nextPollAt: Date,
) {
  return changesOne(database, [accountId, orderId, provider, disputeId, now, nextPollAt])`
    update disputes set next_poll_at = $6
     where account_id = $1 and order_id = $2 and provider = $3 and dispute_id = $4
       and next_poll_at <= $5`;
}

export async function setNextDisputePoll(
  database: Queryable,
  { accountId, orderId, provider, disputeId }: DisputeKey,
  nextPollAt: Date,
) {
  await execute(database, [accountId, orderId, provider, disputeId, nextPollAt])`
    update disputes set next_poll_at = $5
     where account_id = $1 and order_id = $2 and provider = $3 and dispute_id = $4
       and next_poll_at is not null`;
}
