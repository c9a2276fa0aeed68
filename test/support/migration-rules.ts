/** What a migration must keep to, so that it runs on tables that are spread over the nodes of a cluster. Contract 10.4. */
import type { Analyser } from './statement-facts.ts';
import { findChangeable } from './statement-volatility.ts';

/** The rules that one statement of a migration breaks, on a database that has all statements before it. */
export async function findMigrationTroubles(
  { analyse, facts }: Analyser,
  statement: string,
): Promise<string[]> {
  const bare = statement.replace(/--.*$/gm, '').trim();
  const unnamed = /(?<!\bconstraint\s+\w+\s+)\bcheck\s*\(/i.test(bare);
  const tree = await analyse(bare);
  const isWrite = tree !== undefined && !/^(\(|select|values)/i.test(bare);
  const changeable = isWrite ? findChangeable(tree, facts, { perRow: true }) : [];
  return [
    ...(unnamed ? ['has a check constraint without a name'] : []),
    ...changeable.map((name) => `computes ${name} for each row, which is not immutable`),
  ];
}
