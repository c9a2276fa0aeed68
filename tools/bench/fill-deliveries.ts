/**
 * Fills a database with copies of one parked delivery and its references, none of which will ever match an order. A
 * third waits for a later try, a third is due, and a third is dead.
 */
import type { Database } from '../../src/postgres/database.ts';
import { copyRows } from './copy-rows.ts';

/** `name` is the part of the original's ids and references that is its own. */
export async function fillDeliveries(
  database: Database,
  { accountId, deliveryId, name }: Record<'accountId' | 'deliveryId' | 'name', string>,
  count: number,
): Promise<void> {
  const { deliveryKey, body } = await readOriginal(database, accountId, deliveryId);
  const where = { account_id: accountId, delivery_id: deliveryId };
  const byState = (later: string, due: string, dead: string) => () =>
    `case own.n % 3 when 0 then ${later} when 1 then ${due} else ${dead} end`;
  await copyRows(database, {
    count,
    tables: [
      {
        table: 'deliveries',
        where,
        columns: {
          state: byState(`'parked'`, `'parked'`, `'dead'`),
          // After twelve tries the next one is hours away; after sixteen there is none.
          tries: byState('12', '3', '16'),
          next_try_at: byState(
            `now() + interval '2 hours' + own.n % 7200 * interval '1 second'`,
            `now() - own.n % 3600 * interval '1 second'`,
            'null',
          ),
          received_at: () => 'own.at',
          finished_at: byState('null', 'null', `own.at + interval '3 days'`),
        },
      },
      { table: 'delivery_references', where },
    ],
    replaced: [
      [deliveryId, 'delivery_id'],
      [deliveryKey, 'delivery_key'],
      [name, 'name'],
    ],
    own: `select n, name, at, $5::text || lpad(to_hex(n), 6, '0') || substr(name, 1, 10) as delivery_id,
                 encode(sha256(convert_to(replace($4::text, ($3::text[])[3], name), 'UTF8')), 'hex')
                   as delivery_key
            from (select n, md5('unmatched' || n) as name,
                         now() - interval '3 days' - n % 1000000 * interval '1 second' as at
                    from generate_series($1::integer, $2::integer) n) ids`,
    values: [body, `dlv_${accountId.slice('acc_'.length)}`],
  });
}

async function readOriginal(database: Database, accountId: string, deliveryId: string) {
  const { rows } = await database.query<{ delivery_key: string; body: Buffer }>({
    text: 'select delivery_key, body from deliveries where account_id = $1 and delivery_id = $2',
    values: [accountId, deliveryId],
  });
  const [row] = rows;
  if (!row) throw new Error('there is no delivery to copy');
  return { deliveryKey: row.delivery_key, body: row.body.toString('utf8') };
}
