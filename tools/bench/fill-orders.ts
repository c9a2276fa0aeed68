/**
 * Fills a database with copies of one paid order: the order, its transaction, its history, its delivery and the
 * provider's id of the order. `verify` finds no difference between a copy and an order that was paid here.
 */
import type { Database } from '../../src/postgres/database.ts';
import { copyRows } from './copy-rows.ts';
import { ownName } from './requests.ts';

/**
 * Bodies are deleted after 90 days, and they are most of the bytes: every tenth order has one, unless it is older than
 * 80 days. The copies are a second apart.
 */
const bodyEvery = 10;
const bodySecondsMax = 80 * 24 * 60 * 60;

/** With `accountIds` the copies are spread over these accounts. */
export async function fillOrders(
  database: Database,
  accountId: string,
  orderId: string,
  count: number,
  { accountIds = [accountId] }: { readonly accountIds?: readonly string[] } = {},
): Promise<void> {
  const { invoiceId, deliveryId, deliveryKey, body } = await readOriginal(
    database,
    accountId,
    orderId,
  );
  const where = { account_id: accountId, order_id: orderId };
  const at = () => 'own.at';
  const ifKept = (copied: string) =>
    `case when own.n % ${bodyEvery} = 0 and own.n < ${bodySecondsMax} then ${copied} end`;
  await copyRows(database, {
    count,
    tables: [
      { table: 'orders', where, columns: { created_at: at } },
      { table: 'transactions', where },
      { table: 'provider_orders', where },
      { table: 'history', where, columns: { happened_at: at } },
      {
        table: 'deliveries',
        where,
        columns: { received_at: at, finished_at: at, body: ifKept, headers: ifKept },
      },
    ],
    replaced: [
      [deliveryId, 'delivery_id'],
      [deliveryKey, 'delivery_key'],
      [accountId, 'account_id'],
      [orderId, 'order_id'],
      [ownName(orderId), 'name'],
      [invoiceId, 'invoice_id'],
    ],
    own: `select n, at, account_id, order_id, name, 'GROWTH-' || n as invoice_id,
                 'dlv_' || substr(account_id, 5) || substr(order_id, 3) as delivery_id,
                 encode(sha256(convert_to(
                   replace(replace($5::text, ($3::text[])[4], order_id), ($3::text[])[5], name),
                   'UTF8')), 'hex') as delivery_key
            from (select n, account_id, order_id, substr(order_id, 3) as name,
                         now() - (n % 31536000) * interval '1 second' as at
                    from (select n, 'o_' || lpad(to_hex(n), 6, '0')
                                 || substr(md5('growth' || n), 1, 10) as order_id
                            from generate_series($1::integer, $2::integer) n) named
                    join unnest($4::text[]) with ordinality as spread (account_id, place)
                      on place = 1 + n % cardinality($4::text[])) ids`,
    values: [accountIds, body],
  });
}

async function readOriginal(database: Database, accountId: string, orderId: string) {
  const { rows } = await database.query<{
    invoice_id: string;
    delivery_id: string;
    delivery_key: string;
    body: Buffer;
  }>({
    text: `select o.invoice_id, d.delivery_id, d.delivery_key, d.body
             from orders o join deliveries d using (account_id, order_id)
            where o.account_id = $1 and o.order_id = $2`,
    values: [accountId, orderId],
  });
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error('the order to copy needs exactly one delivery');
  return {
    invoiceId: row.invoice_id,
    deliveryId: row.delivery_id,
    deliveryKey: row.delivery_key,
    body: row.body.toString('utf8'),
  };
}
