/**
 * `npm run demo`: starts the service and the simulator, and takes one order from creation to refund.
 * `npm run demo -- --chaos 7` runs 200 orders under seeded chaos instead. `npm run demo -- --fill` fills the shop with
 * orders of the past days, and leaves it running.
 */
import { readOptionsOrExit, wholeNumber } from '../../simulator/program-options.ts';
import { runChaos } from './chaos.ts';
import { walkJourney } from './journey.ts';
import { printChaos, printFilled } from './print-results.ts';
import { type Stage, setStage } from './stage.ts';
import { progress } from './words.ts';

const values = readOptionsOrExit({
  call: 'npm run demo',
  description:
    'Starts a service with a database of its own and the simulator of both providers, takes one order from creation to refund, prints each call and each event that the shop receives, and removes everything again. With --chaos it runs many orders instead while both providers misbehave, and checks the result. With --fill it lives through the past days of a busy shop, checks the result, prints a link to its dashboard, and keeps running until Ctrl-C.',
  options: {
    chaos: {
      value: 'SEED',
      text: 'Run many orders under chaos; the same seed makes the same trouble.',
      findFault: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    },
    fill: {
      text: 'Fill the shop with orders of the past days, a team and things that need a person, and leave it running.',
    },
    orders: {
      value: 'N',
      text: 'The number of orders: 200 under chaos and 600 for --fill unless given.',
      findFault: wholeNumber(1, 100_000),
    },
    days: {
      value: 'N',
      text: 'The days that --fill covers, 30 unless given.',
      findFault: wholeNumber(5, 90),
    },
  },
  examples: ['', '--chaos 7', '--chaos 7 --orders 50', '--fill', '--fill --orders 100 --days 7'],
});
const seed = values.chaos === undefined ? undefined : Number(values.chaos);
const isFilled = values.fill !== undefined;
if (isFilled && seed !== undefined) {
  console.error('Give --chaos or --fill, not both.');
  process.exit(1);
}

let isLeaving = false;
let closeStage = async () => {};
// Ctrl-C or a closed pipe must leave no process running.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leave(130));
process.stdout.on('error', () => leave(1));

try {
  if (isFilled) await fill();
  else await show();
} catch (error) {
  // Errors are expected while the stage is being closed.
  if (!isLeaving) throw error;
} finally {
  await closeStage();
}

async function show(): Promise<void> {
  // The providers' delays are scaled to a hundredth to watch one order, and to a thousandth for many orders.
  const timeScale = seed === undefined ? 0.01 : 0.001;
  const stage = await setStage({ seed: seed ?? 1, timeScale });
  closeStage = stage.close;
  if (seed === undefined) await walkJourney(stage);
  else await showChaos(stage, seed, Number(values.orders ?? 200));
}

async function showChaos({ cli, ...stage }: Stage, chosen: number, orders: number): Promise<void> {
  console.log(
    `${orders} orders under chaos, seed ${chosen}: the same seed makes the same trouble.`,
  );
  const result = await runChaos(stage, { seed: chosen, orders, onProgress: progress });
  if (!printChaos(result, await cli('verify'))) process.exitCode = 1;
}

/** Resolves when the program is to end. */
async function fill(): Promise<void> {
  const startedAt = performance.now();
  const orders = Number(values.orders ?? 600);
  const days = Number(values.days ?? 30);
  console.log(`${orders} orders of the past ${days} days.`);
  // It loads the whole service, which the other demos start as a process of its own.
  const { setFilledStage } = await import('./fill/filled-stage.ts');
  const stage = await setFilledStage({
    seed: 1,
    orders,
    days,
    onOpened: (close) => {
      closeStage = close;
    },
    onProgress: (done, total) => progress(done, total, 'orders'),
  });
  const isSound = await printFilled(stage, (performance.now() - startedAt) / 1000);
  if (isSound) await new Promise(() => {});
  process.exitCode = 1;
}

async function leave(code: number): Promise<void> {
  isLeaving = true;
  await closeStage();
  process.exit(code);
}
