/** Prints the results of the orders under chaos as a table. */
import type { ChaosResult } from './chaos-result.ts';
import { table } from './words.ts';

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
    ]);
  const names = [
    ...['what went on', 'orders', 'completed', 'reversed', 'in part'],
    ...['attempts', 'refunded'],
  ];
  const breaches = verified.breaches as readonly unknown[];
  console.log(`\n${table(names, rows)}\n`);
  console.log(
    `${travellers.length} orders in ${seconds.toFixed(1)} s; troubles: ${troubles.length}`,
  );
  for (const trouble of troubles) console.log(`  ${trouble}`);
  console.log(
    `verify: ${verified.orders} orders, ${verified.transactions} transactions, breaches: ${breaches.length}`,
  );
  for (const breach of breaches) console.log(`  ${JSON.stringify(breach)}`);
  return troubles.length === 0 && breaches.length === 0;
}
