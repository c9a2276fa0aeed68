/** Inserts many deliveries that name orders nobody has, as another business on the same provider account causes. */
import type { Database } from '../../src/postgres/database.ts';

const perStatement = 2_000;

export async function insertDeliveries(
  database: Database,
  accountId: string,
  state: 'dead' | 'parked' | 'needs_review',
  count: number,
  at: Date,
): Promise<void> {
  const ids = `'dlv_' || substr($1, 5) || lpad(n::text, 8, '0') || rpad(replace($2, '_', ''), 8, 'X')`;
  for (let from = 1; from <= count; from += perStatement) {
    const values = [accountId, state, from, Math.min(count, from + perStatement - 1)];
    await database.query({
      text: `insert into deliveries (account_id, delivery_id, provider, delivery_key, state, why, flags,
                                     headers, body, tries, next_try_at, received_at, finished_at)
             select $1::text, ${ids}, 'partner', $2::text || n, $2, 'what it names is not known yet', '{}',
                    '{}', '{}', 16, case when $2 = 'parked' then $5::timestamptz + interval '1 day' end,
                    $5 - n * interval '1 second', case when $2 <> 'parked' then $5 end
               from generate_series($3::integer, $4::integer) n`,
      values: [...values, at],
    });
    await database.query({
      text: `insert into delivery_references (account_id, reference, delivery_id)
             select $1::text, reference || n, ${ids}
               from generate_series($3::integer, $4::integer) n,
                    unnest(array[$2::text || '-order-', $2 || '-pay-']) as reference`,
      values,
    });
  }
}
