/**
 * `npm run soak -- --minutes 5 --kills 500 --seed 7`: sends creates and deliveries, and rounds of twelve orders that
 * are paid and refunded at the simulator (`--journeys`), while the service and its database are killed at random
 * moments. Prints its seed and its progress, stops by itself, and exits with 1 if anything was lost.
 */
import { parseArgs } from 'node:util';
import { type Progress, type SoakResult, soak } from './run.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    kills: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    journeys: { type: 'string', default: '12' },
  },
});
const seed = Number(values.seed);
console.log(`Seed ${seed}: at most ${values.minutes} minutes or ${values.kills} kills.`);
const startedAt = performance.now();
const result = await soak({
  seed,
  minutesMax: Number(values.minutes),
  killsMax: Number(values.kills),
  journeysPerRound: Number(values.journeys),
  onKill: show,
});
report(result);

function show(progress: Progress): void {
  const count = countOf(progress);
  if (count % 10 === 0) console.log(`${secondsPassed()} s: ${describe(progress)}`);
}

function report(end: SoakResult): void {
  console.log(`\n${secondsPassed()} s: ${describe(end)}`);
  console.log(`lost, doubled or wrong: ${end.troubles.length}`);
  for (const trouble of end.troubles) console.log(`  ${trouble}`);
  const { orders, breaches } = end.verified;
  console.log(`verify: ${orders} orders, breaches: ${breaches.length}`);
  for (const breach of breaches) console.log(`  ${JSON.stringify(breach)}`);
  if (end.troubles.length + breaches.length > 0) process.exitCode = 1;
}

function describe(progress: Progress): string {
  const { service, database, both } = progress.kills;
  return [
    `${countOf(progress)} kills (service ${service}, database ${database}, both ${both})`,
    `${progress.creates} creates and ${progress.deliveries} deliveries answered 2xx`,
    `${progress.journeys} journeys`,
    `${progress.events} events accepted`,
    `slowest return ${(progress.slowestReturnMs / 1000).toFixed(1)} s`,
  ].join(', ');
}

function countOf({ kills }: Progress): number {
  return kills.service + kills.database + kills.both;
}

function secondsPassed(): string {
  return ((performance.now() - startedAt) / 1000).toFixed(0);
}
