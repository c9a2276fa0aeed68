/** Ends a database server that a killed service left running, and removes its stale pid file. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isListening } from './postgres-process.ts';

const stopMsMax = 5_000;
const lastMomentMsMax = 500;

/**
 * The caller holds the lock on the folder, so a server on this data was left by a killed service. A server that listens is
 * shut down cleanly and then removes its `postmaster.pid`. Without a listening server the file is stale, even if a process
 * has the number in it: that is a zombie or another program.
 */
export async function endLeftoverServer(
  { directory, socketDir }: { readonly directory: string; readonly socketDir: string },
  signal: (name: 'INT' | 'QUIT', pid: number) => void,
): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid');
  // Single-user mode writes its pid with a minus sign. It never listens, and ends at the end of its input.
  const readPid = async () =>
    Math.abs(Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]));
  const pid = await readPid();
  const isGone = async () => (await readPid()) !== pid || !(await isAlive(pid));
  // The socket path in the pid file is not used: after the folder was copied it would be that of the original.
  if (pid && (await isListening(socketDir))) {
    signal('INT', pid);
    if (!(await waitFor(isGone, stopMsMax))) {
      signal('QUIT', pid);
      await waitFor(isGone, stopMsMax);
    }
  } else if (pid) {
    // It may be shutting down: the server removes its socket first and the pid file last.
    await waitFor(isGone, (await isServerOf(directory, pid)) ? stopMsMax : lastMomentMsMax);
  }
  await rm(pidFile, { force: true });
}

/** True when the process works on this data, and is not another program with the same pid. False without /proc. */
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

async function waitFor(condition: () => Promise<boolean>, msMax: number): Promise<boolean> {
  const deadline = Date.now() + msMax;
  while (!(await condition())) {
    if (Date.now() > deadline) return false;
    await delay(10);
  }
  return true;
}
