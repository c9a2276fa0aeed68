/** Counts what a step of the sweep has left. Counting stops at a limit, so it stays cheap however much is left. */
import type { DeliveryKey } from '../../domain/inbox/delivery.ts';
import type { Queryable } from '../../postgres/database.ts';
import { type Sql, sql, word } from '../../postgres/sql.ts';
import type { WalkedState } from '../inbox/known-deliveries.ts';
import { findValue } from '../query.ts';
import { prunable } from './prune-deliveries.ts';

/** The largest backlog that is reported. */
const backlogMax = 100_000;

export function countUnvisited(
  database: Queryable,
  state: WalkedState,
  { accountId, deliveryId }: DeliveryKey,
): Promise<number> {
  const rows = sql`deliveries where state = '${word(state)}' and (account_id, delivery_id) > ($1, $2)`;
  return countUpToMax(database, rows, [accountId, deliveryId]);
}

export function countDueDeliveries(database: Queryable, now: Date): Promise<number> {
  const rows = sql`deliveries where state in ('received', 'parked') and next_try_at <= $1`;
  return countUpToMax(database, rows, [now]);
}

export function countDuePolls(database: Queryable, now: Date): Promise<number> {
  return countUpToMax(database, sql`transactions where next_poll_at <= $1`, [now]);
}

export function countDueDisputes(database: Queryable, now: Date): Promise<number> {
  return countUpToMax(database, sql`disputes where next_poll_at <= $1`, [now]);
}

/** Orders to check, most of which are paid. */
export function countUnchecked(database: Queryable, from: Date, until: Date): Promise<number> {
  const rows = sql`orders where lapses_at >= $1 and lapses_at <= $2`;
  return countUpToMax(database, rows, [from, until]);
}

export function countBodiesToPrune(
  database: Queryable,
  which: keyof typeof prunable,
  receivedBefore: Date,
): Promise<number> {
  const rows = sql`deliveries where body is not null and ${prunable[which]} and received_at < $1`;
  return countUpToMax(database, rows, [receivedBefore]);
}

export function countDeadToExpire(database: Queryable, deadBefore: Date): Promise<number> {
  const rows = sql`deliveries where state = 'dead' and coalesce(finished_at, received_at) < $1`;
  return countUpToMax(database, rows, [deadBefore]);
}

export function countKeysToPrune(database: Queryable, createdBefore: Date): Promise<number> {
  return countUpToMax(database, sql`idempotency_keys where created_at <= $1`, [createdBefore]);
}

async function countUpToMax(database: Queryable, rows: Sql, values: readonly unknown[]) {
  const count = await findValue<number>(database, values)`
    select count(*) as count from (select 1 from ${rows} limit ${backlogMax}) as left_over`;
  return count ?? 0;
}
