/** Inserts many deliveries that name orders nobody has, as another business on the same provider account causes. */
import type { Database } from '../../src/postgres/database.ts';

export async function insertDeliveries(
  database: Database,
  accountId: string,
  state: 'dead' | 'parked' | 'needs_review',
  count: number,
  at: Date,
): Promise<void> {
  const values = [accountId, state, count, at];
  const ids = `'dlv_' || substr($1, 5) || lpad(n::text, 8, '0') || rpad(replace($2, '_', ''), 8, 'X')`;
  await database.query({
    text: `insert into deliveries (account_id, delivery_id, provider, delivery_key, state, why, flags,
                                   headers, body, tries, next_try_at, received_at, finished_at)
           select $1::text, ${ids}, 'partner', $2::text || n, $2, 'what it names is not known yet', '{}',
                  '{}', '{}', 16, case when $2 = 'parked' then $4::timestamptz + interval '1 day' end,
                  $4 - n * interval '1 second', case when $2 <> 'parked' then $4 end
             from generate_series(1, $3::integer) n`,
    values,
  });
  await database.query({
    text: `insert into delivery_references (account_id, reference, delivery_id)
           select $1::text, reference || n, ${ids}
             from generate_series(1, $3::integer) n, unnest(array[$2::text || '-order-', $2 || '-pay-']) as reference
            where $4::timestamptz is not null`,
    values,
  });
}
