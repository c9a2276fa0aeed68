/** The payment modes that a consumer used before. */
import type { Queryable } from '../../postgres/database.ts';
import { listValues } from '../query.ts';

/** Bounds the cost for consumers with many payments. */
const paymentsMax = 50;

/** The modes of the consumer's successful payments, most recent first. */
export function listModesPaidWith(database: Queryable, accountId: string, userId: string) {
  return listValues<string>(database, {
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
}
