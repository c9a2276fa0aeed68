/**
 * `npm run bench:attacks`: what one account notices while a stranger or the people of another account try to take the
 * service away. Each attack runs in a process of its own. Prints the table of docs/reliability.md.
 */
import type { Launched } from '../../harness/launch.ts';
import { launch } from '../../harness/launch.ts';
import { openShop } from '../shop.ts';
import { withDataDir, withService } from '../stage.ts';
import { type AttackName, attackLoads, type Target } from './attacks.ts';
import { prepareTarget } from './target.ts';
import { type Noticed, watchService } from './watch.ts';

const seconds = 12;
/** The attack is running by then. */
const beginSeconds = 6;

await withDataDir((dataDir) =>
  withService(dataDir, async ({ url }) => {
    const watched = await openShop(url, dataDir);
    const target = await prepareTarget(url, await openShop(url, dataDir));
    const watch = () => watchService(url, watched, seconds);
    await watch();
    console.log('| Attack | Load | p99 before | p99 during | Ratio | Answers 5xx |');
    console.log('|---|---|---|---|---|---|');
    for (const [name, load] of Object.entries(attackLoads)) {
      const before = await watch();
      const attack = startAttack(name as AttackName, target);
      await new Promise((resolve) => setTimeout(resolve, beginSeconds * 1_000));
      const during = await watch();
      await attack.end('SIGKILL');
      console.log(describe(name, load, before, during));
      if (process.env.ATTACK_OUTPUT) console.log(attack.output());
    }
  }),
);

function startAttack(name: AttackName, target: Target): Launched {
  const words = ['tools/bench/attacks/attack.ts', name, JSON.stringify(target)];
  return launch([process.execPath, ...words], {}, { showErrors: true });
}

function describe(name: string, load: string, before: Noticed, during: Noticed): string {
  const ratio = (during.p99Ms / before.p99Ms).toFixed(2);
  const [first, second] = [before, during].map(({ p99Ms }) => `${p99Ms.toFixed(1)} ms`);
  const refused = `${during.refused} of ${during.count}`;
  return `| ${name} | ${load} | ${first} | ${second} | ${ratio} | ${refused} |`;
}
