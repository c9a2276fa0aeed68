/**
 * The database floor: a bare loop that inserts the row of an order, one durable row per commit, 64 in flight. This is
 * the limit for a service that commits each order separately and does nothing else.
 */
import pg from 'pg';
import type { DatabaseAddress } from '../../src/postgres/database.ts';

const inFlight = 64;

export async function measureInserts(address: DatabaseAddress, seconds: number): Promise<number> {
  const pool = new pg.Pool({ ...address, max: inFlight });
  await pool.query('create table if not exists bench_floor (like orders including all)');
  const details = JSON.stringify({
    user: { email: 'asha@example.com', firstName: 'Asha', mobileNumber: '9876543210' },
    shippingAddress: { address1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    lineItems: [{ skuId: 'TEA-1', title: 'Tea', rate: 50, quantity: 2 }],
  });
  const endsAt = performance.now() + seconds * 1000;
  let inserted = 0;
  const insertOn = async () => {
    while (performance.now() < endsAt) {
      inserted += 1;
      const id = Math.random().toString(36).slice(2);
      await pool.query({
        name: 'insert-floor',
        text: `insert into bench_floor (account_id, order_id, invoice_id, status, attempts, currency,
                 amount_before_tax, tax, total_amount, user_id, details, content_digest, created_at,
                 lapses_at)
               values ('acc_bench', $1, $2, 'new', 0, 'INR', 10000, 1800, 11800, 'user_bench', $3,
                 $4, $5, $5)`,
        values: [`o_${id}`, `BENCH-${id}`, details, Buffer.alloc(32), new Date()],
      });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, insertOn));
  await pool.query('truncate bench_floor');
  await pool.end();
  return inserted / seconds;
}
