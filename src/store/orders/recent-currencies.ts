/** The currencies of the newest orders of an account. */
import type { Queryable } from '../../postgres/database.ts';
import { listValues } from '../query.ts';

/** Enough to find the usual currencies, and cheap to read. */
const lookedAtMax = 500;

/** The most frequent one first. */
export function listRecentCurrencies(database: Queryable, accountId: string) {
  return listValues<string>(database, {
    text: `select currency
             from (select currency from orders where account_id = $1
                    order by order_id desc limit $2) newest
            group by currency order by count(*) desc, currency`,
    values: [accountId, lookedAtMax],
  });
}
