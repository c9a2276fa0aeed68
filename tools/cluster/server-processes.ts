/** The processes of a PostgreSQL server: found by its data folder, and killed or stopped together. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
