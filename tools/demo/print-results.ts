/** Prints the end of a demo: the orders under chaos as a table, or where to look at a filled shop. */
import type { ChaosResult } from './judge-chaos.ts';
import type { Stage } from './stage.ts';
import { heading, table } from './words.ts';

/** True if nothing went wrong. */
export function printChaos(
  { travellers, troubles, seconds }: ChaosResult,
  verified: Record<string, unknown>,
): boolean {
  const groups = Map.groupBy(travellers, ({ scenario }) => scenario);
  const rows = [...groups]
    .sort()
    .map(([scenario, group]) => [
      scenario,
      group.length,
      group.filter(({ status }) => status === 'completed').length,
      group.filter(({ end }) => end === 'reversed').length,
      group.filter(({ end }) => end === 'captured-in-part').length,
      group.reduce((sum, { attempts }) => sum + attempts, 0),
      group.filter(({ refunded }) => refunded > 0).length,
      group.reduce((sum, { disputes }) => sum + disputes, 0),
    ]);
  const names = 'what went on,orders,completed,reversed,in part,attempts,refunded,disputes'.split(
    ',',
  );
  console.log(`\n${table(names, rows)}\n`);
  console.log(
    `${travellers.length} orders in ${seconds.toFixed(1)} s; troubles: ${troubles.length}`,
  );
  for (const trouble of troubles) console.log(`  ${trouble}`);
  return printVerified(verified) && troubles.length === 0;
}

const ownerEmail = 'you@nilgiri.example';

/** Where to look at a filled shop. True if `verify` finds nothing wrong. */
export async function printFilled(
  { cli, accountId, simulator }: Stage,
  seconds: number,
): Promise<boolean> {
  console.log(`\nFilled in ${seconds.toFixed(0)} s.`);
  const isSound = printVerified(await cli('verify'));
  const invitation = ['user', 'invite', accountId, '--email', ownerEmail, '--role', 'owner'];
  const link = String((await cli(...invitation)).link);
  console.log(`
${heading('Open this link once to become an owner, and set a password:')}
  ${link}

The dashboard   ${link.replace(/\/invitation\/.*$/, '')}  (sign in as ${ownerEmail})
Both providers  ${simulator.url}

Ctrl-C ends the service and removes everything.`);
  return isSound;
}

function printVerified({ orders, transactions, breaches }: Record<string, unknown>): boolean {
  const found = breaches as readonly unknown[];
  console.log(`verify: ${orders} orders, ${transactions} transactions, breaches: ${found.length}`);
  for (const breach of found) console.log(`  ${JSON.stringify(breach)}`);
  return found.length === 0;
}
