/** Asks whether a server answers, over a connection apart from any pool and with documented parts of `pg` only. */
import pg from 'pg';
import type { Server } from './address.ts';

/** Resolves when the server answers; rejects with the reason when it does not. */
export async function probeServer(server: Server, timeoutMs: number): Promise<void> {
  const client = createClient(server, timeoutMs, timeoutMs);
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end().catch(() => {});
  }
}

/** An error between two statements is reported by the next one. */
export function createClient(server: Server, connectMs: number, answerMs: number): pg.Client {
  const client = new pg.Client({
    ...server,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
  });
  client.on('error', () => {});
  return client;
}
