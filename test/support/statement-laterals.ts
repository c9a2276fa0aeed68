/** Lateral joins, and functions that make rows of the rows of an account table. */
import type { Facts } from './statement-facts.ts';
import { findAccountTable, listed } from './statement-occurrences.ts';
import { allScopes, type Scope, scopeAbove } from './statement-scopes.ts';
import { numberOf, type TreeNode, textOf, walkQuery } from './statement-tree.ts';

export function refuseLateral(root: Scope, facts: Facts): string[] {
  return allScopes(root).flatMap((scope) => {
    const broken: string[] = [];
    for (const [index, range] of scope.ranges.entries()) {
      if (textOf(range, 'lateral') !== 'true') continue;
      const inner = scope.inRanges.get(index + 1);
      const read = inner ? tablesIn(inner, facts) : columnsUsed(scope, range, facts);
      if (read.length > 0) broken.push(`reads ${listed(read)} in a lateral join`);
    }
    walkQuery(scope.query, (node) => {
      if (![node.fields.funcretset, node.fields.opretset].includes('true')) return;
      if (scope.ranges.some((range) => contains(range, node))) return;
      const read = columnsUsed(scope, node, facts);
      if (read.length > 0)
        broken.push(`calls a function that returns rows for each row of ${listed(read)}`);
    });
    return broken;
  });
}

function contains(tree: TreeNode, wanted: TreeNode): boolean {
  let isFound = false;
  walkQuery(tree, (node) => {
    isFound ||= node === wanted;
  });
  return isFound;
}

function tablesIn(scope: Scope, facts: Facts): string[] {
  return allScopes(scope).flatMap(({ ranges }) =>
    ranges.flatMap((range) => findAccountTable(range, facts)?.name ?? []),
  );
}

/** The account tables whose columns an expression uses, also by way of subqueries. */
function columnsUsed(scope: Scope, expression: TreeNode, facts: Facts): string[] {
  const used: string[] = [];
  walkQuery(expression, (node) => {
    if (node.kind !== 'VAR') return;
    const owner = scopeAbove(scope, numberOf(node, 'varlevelsup'));
    const position = numberOf(node, 'varno');
    const range = owner.ranges[position - 1];
    const inner = owner.inRanges.get(position);
    if (inner) used.push(...tablesIn(inner, facts));
    else if (range) used.push(...[findAccountTable(range, facts)?.name ?? []].flat());
  });
  return used;
}
