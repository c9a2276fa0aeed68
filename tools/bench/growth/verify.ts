/** `verify` on the database of a stage, as an operator runs it: how long it takes and how much memory it needs. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import packageFile from '../../../package.json' with { type: 'json' };
import { launch } from '../../harness/launch.ts';
import type { Stage } from './stage.ts';

export type Verification = Awaited<ReturnType<typeof verifyStage>>;

/** The arguments of Node in the `cli` script. */
const [, words = ''] = packageFile.scripts.cli.split(' node ');
const cliWords: readonly string[] = words.split(' ');

const sampleMs = 200;
/** At a lower rate than this it is given up. */
const ordersPerSecondMin = 300;
const secondsMin = 600;

export async function verifyStage({ dataDir }: Stage, orders: number) {
  const command = [process.execPath, ...cliWords, 'verify', '--json'] as const;
  const startedAt = performance.now();
  const secondsSinceStart = () => (performance.now() - startedAt) / 1_000;
  const verify = launch(command, { DATA_DIR: dataDir }, { showErrors: true });
  const secondsMax = Math.max(secondsMin, orders / ordersPerSecondMin);
  /** The largest resident size of the process. */
  let memoryBytesMax = 0;
  while (!verify.hasExited()) {
    memoryBytesMax = (await peakBytesOf(verify.pid)) || memoryBytesMax;
    if (secondsSinceStart() > secondsMax) await verify.end('SIGKILL');
    await delay(sampleMs);
  }
  const seconds = secondsSinceStart();
  return { ...outcomeOf(await verify.exited, verify.output()), seconds, memoryBytesMax };
}

/** The kernel keeps the peak; the file is gone once the process has ended. */
async function peakBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

function outcomeOf(code: number | null, output: string) {
  if (code === null) return { orders: 0, outcome: 'given up: it took too long' };
  if (output === '') return { orders: 0, outcome: `failed with exit status ${code}` };
  const { orders } = JSON.parse(output) as { orders: number };
  return { orders, outcome: code === 0 ? 'everything holds' : 'something does not hold' };
}

export function tableOfVerifications(verified: readonly Verification[]): string {
  const lines = verified.map(({ orders, seconds, memoryBytesMax, outcome }) => {
    const cells = [orders, seconds.toFixed(0), (orders / seconds).toFixed(0)];
    return `| ${[...cells, (memoryBytesMax / 1e6).toFixed(0), outcome].join(' | ')} |`;
  });
  return `| orders | seconds | orders a second | peak memory MB | outcome |
|---:|---:|---:|---:|---|
${lines.join('\n')}`;
}
