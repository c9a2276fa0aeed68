/** CPU and memory of processes, from `/proc` on Linux; zero on other systems. */
import { readdir, readFile } from 'node:fs/promises';

const ticksPerSecond = 100;

export async function cpuSecondsOf(
  pid: number,
  { withChildren = false }: { readonly withChildren?: boolean } = {},
): Promise<number> {
  const pids = withChildren ? [pid, ...(await childrenOf(pid))] : [pid];
  const ticks = await Promise.all(pids.map(ticksOf));
  return ticks.reduce((sum, own) => sum + own, 0) / ticksPerSecond;
}

export async function memoryBytesOf(pid: number): Promise<number> {
  const status = await read(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

export async function childrenOf(pid: number): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    pids.map(async (name) => [Number(name), (await statOf(Number(name)))[1]] as const),
  );
  return parents.filter(([, parent]) => Number(parent) === pid).map(([child]) => child);
}

/** User and system time, including that of children that have exited. */
async function ticksOf(pid: number): Promise<number> {
  const fields = await statOf(pid);
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0);
}

/** The fields after the process name, which may contain spaces. */
async function statOf(pid: number): Promise<string[]> {
  const text = await read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

async function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
