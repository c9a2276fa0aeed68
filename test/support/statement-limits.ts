/** A statement that reads all accounts reads a page of them, or has one answer. */
import { conditionsOf } from './statement-bindings.ts';
import type { Facts } from './statement-facts.ts';
import type { Occurrence } from './statement-occurrences.ts';
import type { Scope } from './statement-scopes.ts';
import { findNode, itemsOf, nodesOf, numberOf, textOf } from './statement-tree.ts';

/** Each account has a few rows of these at most, so they are read as a whole. */
const small = ['accounts', 'account_secrets', 'endpoints', 'memberships'];

export function refuseUnlimited(part: Scope, own: readonly Occurrence[], facts: Facts): string[] {
  const [only, ...others] = own;
  if (!only || others.length > 0 || only.use !== 'reads' || only.parameters.size > 0) return [];
  if (small.includes(only.name) || endsAtKey(only, facts)) return [];
  for (let scope: Scope | undefined = only.scope; scope; scope = scope.parent) {
    if (scope.query.fields.limitCount !== null || isOneAnswer(scope)) return [];
    if (scope === part) break;
  }
  return [`reads ${only.name} of all accounts without a limit`];
}

/** A page may also be all rows up to a key: `(account_id, order_id) <= ($1, $2)`. */
function endsAtKey({ scope, position, column }: Occurrence, { operators }: Facts): boolean {
  const from = findNode(scope.query, 'jointree');
  return conditionsOf(from?.fields.quals).some((condition) => {
    if (!['ROWCOMPAREEXPR', 'ROWCOMPARE'].includes(condition.kind)) return false;
    const [first] = nodesOf(condition, 'largs');
    const operator = operators.get(Number(itemsOf(condition, 'opnos')[0]))?.name ?? '';
    const isKey =
      first?.kind === 'VAR' &&
      numberOf(first, 'varno') === position &&
      numberOf(first, 'varattno') === column;
    return isKey && ['<', '<='].includes(operator);
  });
}

const existsSublink = 0;

function isOneAnswer(scope: Scope): boolean {
  const { query, parent } = scope;
  for (const [node, inner] of parent?.inExpressions ?? []) {
    if (inner === scope && numberOf(node, 'subLinkType') === existsSublink) return true;
  }
  return textOf(query, 'hasAggs') === 'true' && query.fields.groupClause === null;
}
