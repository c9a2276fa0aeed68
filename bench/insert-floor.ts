/**
 * The database floor: a bare loop that inserts one durable row per commit, 64 in flight. What a service
 * could do that commits each order by itself and does nothing else.
 */
import pg from 'pg';
import type { DatabaseAddress } from '../src/store/database.ts';

const inFlight = 64;

export async function measureInserts(address: DatabaseAddress, seconds: number): Promise<number> {
  const pool = new pg.Pool({ ...address, max: inFlight });
  await pool.query(`create table if not exists bench_floor
    (account_id text, order_id text, body jsonb, primary key (account_id, order_id))`);
  const body = JSON.stringify({ currency: 'INR', total: 11_800, email: 'asha@example.com' });
  const endsAt = performance.now() + seconds * 1000;
  const run = Math.random();
  let inserted = 0;
  const insertOn = async () => {
    while (performance.now() < endsAt) {
      inserted += 1;
      await pool.query({
        name: 'insert-floor',
        text: 'insert into bench_floor values ($1, $2, $3)',
        values: ['acc_bench', `${run}-${inserted}`, body],
      });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, insertOn));
  await pool.query('truncate bench_floor');
  await pool.end();
  return inserted / seconds;
}
