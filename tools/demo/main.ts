/**
 * `npm run demo`: starts the service and the simulator, and takes one order from creation to refund.
 * `npm run demo -- --chaos 7` runs 200 orders under seeded chaos instead.
 */
import { readOptionsOrExit, wholeNumber } from '../../simulator/program-options.ts';
import { runChaos } from './chaos.ts';
import { walkJourney } from './journey.ts';
import { printChaos } from './print-chaos.ts';
import { type Stage, setStage } from './stage.ts';
import { progress } from './words.ts';

const values = readOptionsOrExit({
  call: 'npm run demo',
  description:
    'Starts a service with a database of its own and the simulator of both providers, takes one order from creation to refund, prints each call and each event that the shop receives, and removes everything again. With --chaos it runs many orders instead while both providers misbehave, and checks the result.',
  options: {
    chaos: {
      value: 'SEED',
      text: 'Run many orders under chaos; the same seed makes the same trouble.',
      findFault: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    },
    orders: {
      value: 'N',
      text: 'The number of orders under chaos, 200 unless given.',
      findFault: wholeNumber(1, 100_000),
    },
  },
  examples: ['', '--chaos 7', '--chaos 7 --orders 50'],
});
const seed = values.chaos === undefined ? undefined : Number(values.chaos);

// The providers' delays are scaled to a hundredth to watch one order, and to a thousandth for many orders.
const stage = await setStage({ seed: seed ?? 1, timeScale: seed === undefined ? 0.01 : 0.001 });
// Ctrl-C or a closed pipe must leave no process running.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leave(130));
process.stdout.on('error', () => leave(1));

let isLeaving = false;
try {
  if (seed === undefined) await walkJourney(stage);
  else await showChaos(stage, seed, Number(values.orders ?? 200));
} catch (error) {
  // Errors are expected while the stage is being closed.
  if (!isLeaving) throw error;
} finally {
  await stage.close();
}

async function showChaos({ cli, ...stage }: Stage, chosen: number, orders: number): Promise<void> {
  console.log(
    `${orders} orders under chaos, seed ${chosen}: the same seed makes the same trouble.`,
  );
  const result = await runChaos(stage, { seed: chosen, orders, onProgress: progress });
  if (!printChaos(result, await cli('verify'))) process.exitCode = 1;
}

async function leave(code: number): Promise<void> {
  isLeaving = true;
  await stage.close();
  process.exit(code);
}
