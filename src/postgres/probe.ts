/** Asks whether a server answers, over a connection apart from any pool and with documented parts of `pg` only. */
import pg from 'pg';
import type { Server } from './address.ts';

/** Resolves when the server answers; rejects with the reason when it does not. */
export async function probeServer(server: Server, timeoutMs: number): Promise<void> {
  const client = new pg.Client({
    ...server,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end().catch(() => {});
  }
}
