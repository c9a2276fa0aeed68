/** How a consumer paid before. */
import type { Queryable } from './database.ts';

/** Far enough back to know a consumer, near enough to stay cheap for the keenest one. */
const ordersMax = 50;

/** The modes of the consumer's payments that succeeded, as shown, the latest first. */
export async function listModesPaidWith(
  database: Queryable,
  accountId: string,
  userId: string,
): Promise<string[]> {
  const { rows } = await database.query<{ mode: string }>({
    name: 'list-modes-paid-with',
    text: `select t.members->>'paymentMode' as mode
             from (select account_id, order_id from orders
                    where account_id = $1 and user_id = $2 and status = 'completed'
                    order by created_at desc limit $3) o
             join transactions t on t.account_id = o.account_id and t.order_id = o.order_id
            where t.type = 'payment' and t.status = 'succeeded'
              and t.members->>'paymentMode' is not null
            group by 1 order by max(t.finished_at) desc nulls last`,
    values: [accountId, userId, ordersMax],
  });
  return rows.map(({ mode }) => mode);
}
