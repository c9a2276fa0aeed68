/** The process id of the embedded database server, which the server writes into its folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findDatabaseFolder } from '../../src/embedded-postgres/database-folder.ts';

/** Undefined while the server is starting, and when there is none. */
export async function findServerPid(dataDir: string): Promise<number | undefined> {
  const file = join(await findDatabaseFolder(dataDir), 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(text.split('\n')[0]) || undefined;
}

export async function readServerPid(dataDir: string): Promise<number> {
  const pid = await findServerPid(dataDir);
  if (pid === undefined) throw new Error(`no database server runs in ${dataDir}`);
  return pid;
}
