/** The CPU time and memory of processes, from /proc on Linux; elsewhere everything is zero. */
import { readFile } from 'node:fs/promises';
import { listChildren, readStatFields } from '../harness/processes.ts';

const ticksPerSecond = 100;

export async function cpuSecondsOf(
  pid: number,
  { withChildren = false }: { readonly withChildren?: boolean } = {},
): Promise<number> {
  const children = withChildren ? await listChildren(pid) : [];
  const ticks = await Promise.all([pid, ...children.map((child) => child.pid)].map(ticksOf));
  return ticks.reduce((sum, own) => sum + own, 0) / ticksPerSecond;
}

export function memoryBytesOf(pid: number): Promise<number> {
  return statusBytesOf(pid, 'VmRSS');
}

/** The most memory that it has had so far. */
export function peakMemoryBytesOf(pid: number): Promise<number> {
  return statusBytesOf(pid, 'VmHWM');
}

async function statusBytesOf(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
}

/** User and system time, including that of children that have ended. */
async function ticksOf(pid: number): Promise<number> {
  const fields = await readStatFields(pid).catch(() => []);
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0);
}
