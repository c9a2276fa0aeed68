/** Ends a database server that a killed service left behind, and clears away what it left on the disk. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isListening } from './postgres-process.ts';

const stopMsMax = 5_000;
const lastMomentMsMax = 500;

/**
 * The lock on the folder is ours, so a server on this data was left behind by a service that was
 * killed. One that listens is ended in good order, which it shows by removing its
 * `postmaster.pid`. One that does not is gone, and the file is stale even where its number names
 * a process: a zombie that nobody collects, or a stranger.
 */
export async function endLeftoverServer(
  { directory, socketDir }: { readonly directory: string; readonly socketDir: string },
  signal: (name: 'INT' | 'QUIT', pid: number) => void,
): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid');
  // Single-user mode notes its own with a minus sign. Killed in the middle it listens to nobody, and ends by
  // itself at the end of its input.
  const readPid = async () =>
    Math.abs(Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]));
  const pid = await readPid();
  const isGone = async () => (await readPid()) !== pid || !(await isAlive(pid));
  // The first release listened in the folder of the data. What the file says may be about another place, of which
  // this is a copy.
  const listens = (await isListening(socketDir)) || (await isListening(directory));
  if (pid && listens) {
    signal('INT', pid);
    if (!(await waitFor(isGone, stopMsMax))) {
      signal('QUIT', pid);
      await waitFor(isGone, stopMsMax);
    }
  } else if (pid) {
    // It may be just about to end: the socket goes first, the file last.
    await waitFor(isGone, (await isServerOf(directory, pid)) ? stopMsMax : lastMomentMsMax);
  }
  await rm(pidFile, { force: true });
}

/** A process that works on this data, and not a stranger with the same number; never known without /proc. */
async function isServerOf(directory: string, pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.split('\0').includes(directory);
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const isZombie = status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
  return !isZombie;
}

async function waitFor(isSo: () => Promise<boolean>, msMax: number): Promise<boolean> {
  const deadline = Date.now() + msMax;
  while (!(await isSo())) {
    if (Date.now() > deadline) return false;
    await delay(10);
  }
  return true;
}
