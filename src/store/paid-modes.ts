/** How a consumer paid before. */
import type { Queryable } from '../postgres/database.ts';

/** Far enough back to know a consumer, near enough to stay cheap for the keenest one. */
const paymentsMax = 50;

/** The modes of the consumer's payments that succeeded, as shown, the latest first. */
export async function listModesPaidWith(
  database: Queryable,
  accountId: string,
  userId: string,
): Promise<string[]> {
  const { rows } = await database.query<{ mode: string }>({
    name: 'list-modes-paid-with',
    text: `select t.fields->>'paymentMode' as mode
             from (select account_id, order_id, fields, finished_at from transactions
                    where account_id = $1 and paid_by = $2
                    order by finished_at desc nulls last limit $3) t
             join orders o on o.account_id = t.account_id and o.order_id = t.order_id
            where o.status = 'completed' and t.fields->>'paymentMode' is not null
            group by 1 order by max(t.finished_at) desc nulls last`,
    values: [accountId, userId, paymentsMax],
  });
  return rows.map(({ mode }) => mode);
}
