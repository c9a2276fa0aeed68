/**
 * `npm run cluster`: the service on a Patroni cluster, under load, while servers are switched, restarted, killed, frozen
 * and cut off. Prints a table, writes a JSON file, and exits with 1 if a promise was broken.
 */
import { writeFile } from 'node:fs/promises';
import { readOptionsOrExit, wholeNumber } from '../../simulator/program-options.ts';
import { createClosers } from '../harness/closers.ts';
import { faults } from './faults.ts';
import { findPrograms, missingPrograms } from './programs.ts';
import { listBroken, printResult } from './report.ts';
import { runCluster } from './run.ts';

const faultNames = faults.map(({ name }) => name);
const values = readOptionsOrExit({
  call: 'npm run cluster',
  description: `Starts three members of etcd, three Patroni nodes, HAProxy, and services that reach the database through HAProxy or by a list of its servers. Sends orders, webhooks and enquiries while faults happen one after the other, and checks that nothing which was answered 2xx is lost. The faults: ${faultNames.join(', ')}.`,
  options: {
    faults: {
      value: 'LIST',
      text: 'The faults in their order, separated by commas, some perhaps more than once; all of them unless given.',
      findFault: listOf(faultNames),
    },
    ways: {
      value: 'LIST',
      text: 'How services reach the database: haproxy, hosts or both (haproxy,hosts). Two services each.',
      findFault: listOf(['haproxy', 'hosts']),
    },
    rate: {
      value: 'N',
      text: 'Orders per second at each service, 5 unless given.',
      findFault: wholeNumber(1, 100),
    },
    seconds: {
      value: 'N',
      text: 'The load before a fault, and at least as long after it; 8 unless given.',
      findFault: wholeNumber(2, 600),
    },
    logs: {
      value: 'FOLDER',
      text: 'Where the logs of nodes and services are kept; nowhere unless given.',
    },
    json: { value: 'FILE', text: 'Where the figures are written; cluster.json unless given.' },
  },
  examples: ['', '--faults switchover,restart --ways haproxy', '--rate 20 --seconds 30'],
});

const programs = await findPrograms();
if (!programs) {
  console.error(missingPrograms);
  process.exit(1);
}
const closers = createClosers();
// Ctrl-C must leave no process running.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leave(130));
const startedAt = performance.now();
try {
  const result = await runCluster({
    programs,
    faults: chosen(values.faults, faultNames).flatMap((wanted) =>
      faults.filter(({ name }) => name === wanted),
    ),
    ways: (['haproxy', 'hosts'] as const).filter((way) =>
      chosen(values.ways, ['haproxy', 'hosts']).includes(way),
    ),
    perSecond: Number(values.rate ?? 5),
    seconds: Number(values.seconds ?? 8),
    closers,
    logFolder: values.logs,
    onProgress: (line) => console.log(`${secondsPassed()} s: ${line}`),
  });
  console.log('');
  printResult(result);
  const broken = listBroken(result);
  const file = values.json ?? 'cluster.json';
  await writeFile(file, `${JSON.stringify({ ...result, broken }, undefined, 2)}\n`);
  console.log(`${secondsPassed()} s. The figures are in ${file}.`);
  for (const text of broken) console.log(`BROKEN ${text}`);
  if (broken.length > 0) process.exitCode = 1;
} finally {
  await closers.closeAll();
}

function chosen(list: string | undefined, all: readonly string[]): readonly string[] {
  return list?.split(',') ?? all;
}

function listOf(known: readonly string[]) {
  return (text: string) =>
    text.split(',').every((name) => known.includes(name))
      ? undefined
      : `must be names from this list, separated by commas: ${known.join(', ')}`;
}

function secondsPassed(): string {
  return ((performance.now() - startedAt) / 1000).toFixed(0);
}

async function leave(code: number): Promise<void> {
  await closers.closeAll();
  process.exit(code);
}
