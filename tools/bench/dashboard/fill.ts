/**
 * Fills a database with a year of orders of one account: copies of one paid order whose status, amount, mode, provider,
 * flags and consumer vary. Only what the dashboard reads is right: the notices are those of the original, so `verify`
 * does not hold.
 */
import type { Database } from '../../../src/postgres/database.ts';
import { type CopiedTable, type Copies, copyRows } from '../copy-rows.ts';
import { ownName } from '../requests.ts';

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The first six letters of an id: the seconds in base 62. */
const timeLetters = [5, 4, 3, 2, 1, 0]
  .map((power) => `substr('${letters}', (seconds / ${62 ** power} % 62)::integer + 1, 1)`)
  .join(' || ');

/** One of 16 orders failed, four are open or lapsed; one of 2,000 is flagged, one of 10,000 was paid by wallet. */
const isPaid = 'own.n % 16 < 11';
const isFailed = 'own.n % 16 = 11';
const orderStatus = `case when ${isPaid} then 'completed' when own.n < 1000 then 'pending' else 'lapsed' end`;
const mode = `case when own.n % 10000 = 0 then 'Wallet' when own.n % 3 = 0 then 'Credit Card' else 'UPI' end`;
const failure = `{"code": "DECLINED_BY_BANK", "merchantMessage": "declined", "retryAllowed": true}`;

/** Events are deleted with age, so only the newest orders have some. One of 1,000 was given up. */
const eventOrdersMax = 1_000_000;
const eventColumns = {
  state: () => `case when own.n % 1000 = 0 then 'undelivered' else 'delivered' end`,
  attempts: () => '1',
  next_attempt_at: () => 'null',
  occurred_at: () => 'own.at',
};

export async function fillDashboard(
  database: Database,
  { accountId, orderId }: Record<'accountId' | 'orderId', string>,
  count: number,
): Promise<void> {
  const invoiceId = await readInvoice(database, accountId, orderId);
  const where = { account_id: accountId, order_id: orderId };
  const at = () => 'own.at';
  const total = () =>
    '100 * (1 + own.n % 5000) + case when own.n % 100000 = 0 then 90000000 else 0 end';
  const copies: Omit<Copies, 'count' | 'tables'> = {
    replaced: [
      [accountId, 'account_id'],
      [orderId, 'order_id'],
      [ownName(orderId), 'name'],
      [invoiceId, 'invoice_id'],
      ['asha@example.com', 'email'],
      ['9876543210', 'phone'],
    ],
    own: `select n, at, account_id, order_id, substr(order_id, 3) as name, 'SHOP-' || n as invoice_id,
                 'consumer' || n % 1000003 || '@example.com' as email,
                 (9000000000 + n % 1000003)::text as phone
            from (select n, at, $4::text as account_id,
                         'o_' || ${timeLetters} || substr(md5('dashboard' || n), 1, 10) as order_id
                    from (select n, at, extract(epoch from at)::bigint as seconds
                            from (select n, date_trunc('second', $5::timestamptz - n * $6::float8 * interval '1 second') as at
                                    from generate_series($1::integer, $2::integer) n) timed) seconds) ids`,
    values: [accountId, new Date(), yearSeconds / count],
  };
  await copyRows(database, {
    ...copies,
    count,
    tables: [
      {
        table: 'orders',
        where,
        columns: {
          status: () => orderStatus,
          amount_before_tax: total,
          tax: () => '0',
          total_amount: total,
          flags: () => `case when own.n % 2000 = 0 then '{amount_mismatch}'::text[] else '{}' end`,
          user_id: () => `'user_' || substr(md5(own.phone), 1, 16)`,
          created_at: at,
          lapses_at: () => `own.at + interval '1 day'`,
        },
      },
      {
        table: 'transactions',
        where,
        columns: {
          status: () =>
            `case when ${isPaid} then 'succeeded' when ${isFailed} then 'failed' else 'pending' end`,
          provider: (copied) => `case when own.n % 3 = 0 then 'bank-gateway' else ${copied} end`,
          amount: total,
          fields: (copied) => `${copied} || jsonb_build_object('paymentMode', ${mode})
            || case when ${isFailed} then '{"failure": ${failure}}'::jsonb else '{}' end`,
          flags: () =>
            `case when own.n % 5000 = 0 then '{duplicate_capture}'::text[] else '{}' end`,
          next_poll_at: () => 'null',
        },
      },
      { table: 'provider_orders', where },
      { table: 'history', where, columns: { happened_at: at } },
    ],
  });
  await copyEvents(database, { ...copies, count, where });
}

function copyEvents(
  database: Database,
  { count, where, ...copies }: Omit<Copies, 'tables'> & Pick<CopiedTable, 'where'>,
): Promise<void> {
  return copyRows(database, {
    ...copies,
    count: Math.min(count, eventOrdersMax),
    tables: [{ table: 'events', where, columns: eventColumns }],
  });
}

const yearSeconds = 365 * 24 * 60 * 60;

async function readInvoice(database: Database, accountId: string, orderId: string) {
  const { rows } = await database.query<{ invoice_id: string }>({
    text: 'select invoice_id from orders where account_id = $1 and order_id = $2',
    values: [accountId, orderId],
  });
  const [row] = rows;
  if (!row) throw new Error('there is no order to copy');
  return row.invoice_id;
}
