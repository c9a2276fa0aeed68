/**
 * `npm run soak -- --minutes 5 --kills 500 --seed 7`: sends creates and deliveries, and rounds of twelve orders that
 * are paid and refunded at the simulator (`--journeys`), while the service and its database are killed at random
 * moments. Prints its seed and its progress, stops by itself, and exits with 1 if anything was lost.
 */
import { parseArgs } from 'node:util';
import { type SoakResult, soak, type Told } from './run.ts';

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

function show(told: Told): void {
  const count = countOf(told);
  if (count % 10 === 0) console.log(`${secondsPassed()} s: ${describe(told)}`);
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

function describe(told: Told): string {
  const { service, database, both } = told.kills;
  return [
    `${countOf(told)} kills (service ${service}, database ${database}, both ${both})`,
    `${told.creates} creates and ${told.deliveries} deliveries answered 2xx`,
    `${told.journeys} journeys`,
    `slowest return ${(told.slowestReturnMs / 1000).toFixed(1)} s`,
  ].join(', ');
}

function countOf({ kills }: Told): number {
  return kills.service + kills.database + kills.both;
}

function secondsPassed(): string {
  return ((performance.now() - startedAt) / 1000).toFixed(0);
}
