/** A PostgreSQL server from outside: its processes, found by its data folder, and a connection to its port. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { listChildren } from '../harness/processes.ts';

export async function familyOf(pid: number): Promise<number[]> {
  return [pid, ...(await listChildren(pid)).map((child) => child.pid)];
}

/** Undefined while no server runs. A killed server leaves the file behind. */
export async function findPostmaster(dataFolder: string): Promise<number | undefined> {
  const text = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  if (!pid) return undefined;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(dataFolder) ? pid : undefined;
}

export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
  }
}

/** As its superuser, without a password. */
export async function withServer<Result>(
  port: number,
  database: string,
  use: (client: pg.Client) => Promise<Result>,
  { connectMs = 5_000, queryMs = 30_000 } = {},
): Promise<Result> {
  const client = new pg.Client({
    connectionString: `postgres://postgres@127.0.0.1:${port}/${database}`,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    // A server that hangs reads no farewell.
    await Promise.race([client.end().catch(() => {}), delay(connectMs, undefined, { ref: false })]);
  }
}
