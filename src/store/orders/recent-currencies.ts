/** The currencies of the newest orders of an account. */
import type { Queryable } from '../../postgres/database.ts';
import { byBytes, type TextOrder } from '../text-order.ts';

/** Enough to find the usual currencies, and cheap to read. */
const lookedAtMax = 500;

/** The most frequent one first. */
export async function listRecentCurrencies(
  database: Queryable,
  order: TextOrder,
  accountId: string,
): Promise<string[]> {
  const { rows } = await database.query<{ currency: string }>({
    text: `select currency
             from (select currency from orders where account_id = $1
                    order by ${byBytes('order_id', order)} desc limit $2) newest
            group by currency order by count(*) desc, currency`,
    values: [accountId, lookedAtMax],
  });
  return rows.map(({ currency }) => currency);
}
