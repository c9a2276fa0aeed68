/**
 * `npm run bench:attacks`: what one account notices while a stranger or the people of another account try to take the
 * service away. Each attack runs in a process of its own. Prints the table of docs/reliability.md.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Launched, launch } from '../../harness/launch.ts';
import { openShop } from '../shop.ts';
import { withDataDir, withService } from '../stage.ts';
import { type AttackName, attackLoads, type Target } from './attacks.ts';
import { prepareTarget } from './target.ts';
import { type Noticed, watchService } from './watch.ts';

const rounds = 5;
const seconds = 8;
/** The attack has filled its buffers by then, and no connection is closed before the measurement ends. */
const beginSeconds = 10;
/** What was stored and is retried for an earlier attack is over by then. */
const pauseSeconds = 2;

await withDataDir((dataDir) =>
  withService(dataDir, async ({ url }) => {
    const watched = await openShop(url, dataDir);
    const target = await prepareTarget(url, await openShop(url, dataDir));
    const watch = () => watchService(url, watched, seconds);
    await watch();
    console.log('| Attack | Load | p99 before | p99 during | Ratio | Not answered 200 |');
    console.log('|---|---|---|---|---|---|');
    for (const [name, load] of Object.entries(attackLoads)) {
      const noticed: Array<readonly [before: Noticed, during: Noticed]> = [];
      for (let round = 0; round < rounds; round += 1) {
        const before = await watch();
        const attack = startAttack(name as AttackName, target);
        await delay(beginSeconds * 1_000);
        noticed.push([before, await watch()]);
        await attack.end('SIGKILL');
        await delay(pauseSeconds * 1_000);
      }
      console.log(describe(name, load, noticed));
    }
  }),
);

function startAttack(name: AttackName, target: Target): Launched {
  const words = ['tools/bench/attacks/attack.ts', name, JSON.stringify(target)];
  return launch([process.execPath, ...words], {}, { showErrors: true });
}

/** Of all rounds together: in one round a single stall of the machine decides the p99. */
function describe(
  name: string,
  load: string,
  noticed: ReadonlyArray<readonly [before: Noticed, during: Noticed]>,
): string {
  const before = p99Of(noticed.flatMap(([{ timesMs }]) => timesMs));
  const during = p99Of(noticed.flatMap(([, { timesMs }]) => timesMs));
  const ratio = (during / before).toFixed(2);
  const refused = noticed.reduce((sum, [, own]) => sum + own.refused, 0);
  const count = noticed.reduce((sum, [, { timesMs }]) => sum + timesMs.length, 0);
  return `| ${name} | ${load} | ${before.toFixed(1)} ms | ${during.toFixed(1)} ms | ${ratio} | ${refused} of ${count} |`;
}

function p99Of(timesMs: readonly number[]): number {
  return timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length * 0.99)] ?? 0;
}
