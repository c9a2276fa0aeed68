/**
 * The queries of a statement: the statement itself, its subqueries in `from`, in expressions and in `with`. Each is a
 * scope whose columns inner ones may use.
 */
import {
  findNode,
  itemsOf,
  nodesOf,
  numberOf,
  type Tree,
  type TreeNode,
  textOf,
  walkQuery,
} from './statement-tree.ts';

export type Scope = {
  readonly id: number;
  readonly query: TreeNode;
  readonly parent: Scope | undefined;
  /** The entries of `from` and the target of a write; others refer to them by their position, from 1. */
  readonly ranges: readonly TreeNode[];
  /** The subqueries among the ranges, by position. */
  readonly inRanges: Map<number, Scope>;
  /** By name. */
  readonly inWith: Map<string, Scope>;
  /** By their node. */
  readonly inExpressions: Map<TreeNode, Scope>;
};

export const rangeKinds = {
  table: 0,
  subquery: 1,
  join: 2,
  function: 3,
  values: 5,
  with: 6,
  group: 9,
};
export const commands = { select: 1, update: 2, insert: 3, delete: 4, merge: 5 };

export function openScopes(query: TreeNode): Scope {
  let count = 0;
  const open = (own: TreeNode, parent: Scope | undefined): Scope => {
    count += 1;
    const ranges = nodesOf(own, 'rtable');
    const scope: Scope = {
      id: count,
      query: own,
      parent,
      ranges,
      inRanges: new Map(),
      inWith: new Map(),
      inExpressions: new Map(),
    };
    for (const common of nodesOf(own, 'cteList')) {
      const inner = findNode(common, 'ctequery');
      if (inner) scope.inWith.set(textOf(common, 'ctename'), open(inner, scope));
    }
    for (const [index, range] of ranges.entries()) {
      const inner = findNode(range, 'subquery');
      if (inner) scope.inRanges.set(index + 1, open(inner, scope));
    }
    walkQuery(own, (node) => {
      const inner = node.kind === 'SUBLINK' ? findNode(node, 'subselect') : undefined;
      if (inner) scope.inExpressions.set(node, open(inner, scope));
    });
    return scope;
  };
  return open(query, undefined);
}

/** The scope and all scopes inside of it. */
export function allScopes(scope: Scope): Scope[] {
  return [scope, ...childrenOf(scope).flatMap(allScopes)];
}

export function childrenOf({ inRanges, inWith, inExpressions }: Scope): Scope[] {
  return [...inWith.values(), ...inRanges.values(), ...inExpressions.values()];
}

export function scopeAbove(scope: Scope, levels: number): Scope {
  let found = scope;
  for (let level = 0; level < levels; level += 1) found = found.parent ?? found;
  return found;
}

export function commandOf({ query }: Scope): number {
  return numberOf(query, 'commandType');
}

export function rangeAt({ ranges }: Scope, position: number): TreeNode | undefined {
  return ranges[position - 1];
}

export function rangeKind(range: TreeNode): number {
  return numberOf(range, 'rtekind');
}

/** The columns that the query returns, by their position from 1. */
export function outputOf({ query }: Scope, position: number): Tree | undefined {
  const field = numberOf(query, 'commandType') === commands.select ? 'targetList' : 'returningList';
  const entry = nodesOf(query, field).find((target) => numberOf(target, 'resno') === position);
  return entry?.fields.expr;
}

/** The queries of a `union` and its like; none for other queries. */
export function unitedBy(scope: Scope): Scope[] {
  if (!findNode(scope.query, 'setOperations')) return [];
  return [...scope.inRanges.values()];
}

/** Whether rows are kept as they are: every set operation is a `union all`. */
export function isUnionAll({ query }: Scope): boolean {
  const isAll = (node: TreeNode | undefined): boolean => {
    if (node?.kind !== 'SETOPERATIONSTMT') return node !== undefined;
    const isUnion = numberOf(node, 'op') === 1 && textOf(node, 'all') === 'true';
    return isUnion && isAll(findNode(node, 'larg')) && isAll(findNode(node, 'rarg'));
  };
  const operations = findNode(query, 'setOperations');
  return operations !== undefined && isAll(operations);
}

/** The positions of the ranges that a part of `from` is made of. */
export function placesIn(part: Tree | undefined): number[] {
  if (Array.isArray(part)) return part.flatMap(placesIn);
  const node = part as TreeNode | null | undefined;
  if (!node) return [];
  if (node.kind === 'RANGETBLREF') return [numberOf(node, 'rtindex')];
  return [...itemsOf(node, 'fromlist'), node.fields.larg, node.fields.rarg].flatMap(placesIn);
}
