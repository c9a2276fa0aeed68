/** Counts what needs attention in one account. Counting stops at a limit, so it stays cheap however much there is. */
import type { DeliveryState } from '../../domain/inbox/delivery.ts';
import type { Queryable } from '../../postgres/database.ts';
import { type Sql, sql, word } from '../../postgres/sql.ts';
import { findValue } from '../query.ts';

export function countDeliveriesOfState(
  database: Queryable,
  accountId: string,
  state: Extract<DeliveryState, 'parked' | 'dead'>,
  max: number,
) {
  return countOfState(database, sql`deliveries`, state, [accountId, max]);
}

export function countUndelivered(database: Queryable, accountId: string, max: number) {
  return countOfState(database, sql`events`, 'undelivered', [accountId, max]);
}

/** The state is part of the text, because a parameter does not match the condition of the partial index. */
async function countOfState(
  database: Queryable,
  table: Sql,
  state: 'parked' | 'dead' | 'undelivered',
  values: unknown[],
) {
  const count = await findValue<number>(database, values)`
    select count(*) as count
      from (select 1 from ${table} where state = '${word(state)}' and account_id = $1 limit $2) counted`;
  return count ?? 0;
}
