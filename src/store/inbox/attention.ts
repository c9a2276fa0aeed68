/** Counts what needs attention in one account. Counting stops at a limit, so it stays cheap however much there is. */
import type { DeliveryState } from '../../domain/inbox/delivery.ts';
import type { Queryable } from '../../postgres/database.ts';
import { findValue } from '../query.ts';

export async function countDeliveriesOfState(
  database: Queryable,
  accountId: string,
  state: Extract<DeliveryState, 'parked' | 'dead'>,
  max: number,
): Promise<number> {
  return (
    (await findValue<number>(database, {
      // Part of the text, because a parameter does not match the condition of the partial index.
      text: `select count(*) as count
             from (select 1 from deliveries where state = '${state}' and account_id = $1 limit $2) counted`,
      values: [accountId, max],
    })) ?? 0
  );
}

export async function countUndelivered(
  database: Queryable,
  accountId: string,
  max: number,
): Promise<number> {
  return (
    (await findValue<number>(database, {
      text: `select count(*) as count
             from (select 1 from events where state = 'undelivered' and account_id = $1 limit $2) counted`,
      values: [accountId, max],
    })) ?? 0
  );
}
