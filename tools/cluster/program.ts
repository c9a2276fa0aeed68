/** What the programs for each kind of cluster share: options, progress, the end and its exit code. */
import { writeFile } from 'node:fs/promises';
import { wholeNumber } from '../../simulator/program-options.ts';
import { type Closers, createClosers } from '../harness/closers.ts';
import type { CommonFigures } from './figures.ts';
import { listBroken, printResult, type Report } from './report.ts';
import type { RunResult } from './stage.ts';

/** The options of every run; the rate is that at each service. */
export function commonOptions(
  faultNames: readonly string[],
  usual: { readonly rate: number; readonly seconds: number; readonly json: string },
) {
  return {
    faults: {
      value: 'LIST',
      text: 'The faults in their order, separated by commas, some perhaps more than once; all of them unless given.',
      findFault: listOf(faultNames),
    },
    rate: {
      value: 'N',
      text: `Orders per second at each service, ${usual.rate} unless given.`,
      findFault: wholeNumber(1, 100),
    },
    seconds: {
      value: 'N',
      text: `The load before a fault, and at least as long after it; ${usual.seconds} unless given.`,
      findFault: wholeNumber(2, 600),
    },
    logs: {
      value: 'FOLDER',
      text: 'Where the logs of nodes and services are kept; nowhere unless given.',
    },
    json: { value: 'FILE', text: `Where the figures are written; ${usual.json} unless given.` },
  };
}

export function chosen(list: string | undefined, all: readonly string[]): readonly string[] {
  return list?.split(',') ?? all;
}

/** In the order of the names, which may repeat. */
export function chooseFaults<Fault extends { readonly name: string }>(
  list: string | undefined,
  faults: readonly Fault[],
): Fault[] {
  const names = faults.map(({ name }) => name);
  return chosen(list, names).flatMap((wanted) => faults.filter(({ name }) => name === wanted));
}

export function listOf(known: readonly string[]) {
  return (text: string) =>
    text.split(',').every((name) => known.includes(name))
      ? undefined
      : `must be names from this list, separated by commas: ${known.join(', ')}`;
}

export async function runToEnd<Figures extends CommonFigures>(
  run: (closers: Closers, onProgress: (line: string) => void) => Promise<RunResult<Figures>>,
  report: Report<Figures>,
  file: string,
): Promise<void> {
  const closers = createClosers();
  // Ctrl-C must leave no process running.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await closers.closeAll();
      process.exit(130);
    });
  }
  const startedAt = performance.now();
  const secondsPassed = () => ((performance.now() - startedAt) / 1000).toFixed(0);
  try {
    const result = await run(closers, (line) => console.log(`${secondsPassed()} s: ${line}`));
    console.log('');
    printResult(report, result);
    const broken = listBroken(report, result);
    await writeFile(file, `${JSON.stringify({ ...result, broken }, undefined, 2)}\n`);
    console.log(`${secondsPassed()} s. The figures are in ${file}.`);
    for (const text of broken) console.log(`BROKEN ${text}`);
    if (broken.length > 0) process.exitCode = 1;
  } finally {
    await closers.closeAll();
  }
}
