/** The processes of this machine: from /proc on Linux, from `ps` elsewhere. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

type ProcessEntry = {
  readonly pid: number;
  readonly parent: number;
  readonly isZombie: boolean;
  readonly command: string;
};

export async function listProcesses(): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? listByProc() : listByPs();
}

export async function listChildren(parent: number): Promise<ProcessEntry[]> {
  const processes = await listProcesses();
  return processes.filter((process) => process.parent === parent && !process.isZombie);
}

/** False also for a zombie: it has ended, and its parent has not collected its exit code yet. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await listProcesses()).some((process) => process.pid === pid && !process.isZombie);
}

/** The fields of /proc/PID/stat after the name, which may itself hold spaces; the first is the state. */
export async function readStatFields(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

async function listByProc(): Promise<ProcessEntry[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = names.map(async (name) => {
    const pid = Number(name);
    try {
      const [state, parent] = await readStatFields(pid);
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
      return { pid, parent: Number(parent), isZombie: state === 'Z', command };
    } catch {
      // It ended after the folder was listed.
      return undefined;
    }
  });
  return (await Promise.all(entries)).filter((entry) => entry !== undefined);
}

async function listByPs(): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,command=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state, command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined) return [];
    const isZombie = state?.startsWith('Z') ?? false;
    return [{ pid: Number(pid), parent: Number(parent), isZombie, command }];
  });
}
