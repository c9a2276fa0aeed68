/**
 * Which columns of a statement are equal to a parameter, by the conditions that every row has to meet. Knowledge flows
 * along equalities, into subqueries and out of them.
 */
import type { Facts } from './statement-facts.ts';
import { allScopes, placesIn, type Scope } from './statement-scopes.ts';
import {
  columnTerm,
  type Flow,
  outputTerm,
  strip,
  structureFlows,
  type Term,
  termOf,
} from './statement-terms.ts';
import {
  findNode,
  isNode,
  itemsOf,
  numberOf,
  type Tree,
  type TreeNode,
  textOf,
} from './statement-tree.ts';

export type Bindings = {
  /** The parameters that a column of a range is equal to. */
  readonly parametersOf: (scope: Scope, position: number, column: number) => ReadonlySet<string>;
};

export function findBindings(root: Scope, facts: Facts): Bindings {
  const flows: Flow[] = [];
  const scopes = allScopes(root);
  for (const scope of scopes) {
    flows.push(...structureFlows(scope));
    addConditions(scope, findNode(scope.query, 'jointree'), undefined);
  }

  /** `bindable` are the ranges whose rows a condition removes; undefined stands for all. */
  function addConditions(scope: Scope, part: Tree | undefined, bindable?: readonly number[]): void {
    if (!isNode(part)) return;
    if (part.kind === 'FROMEXPR') {
      for (const item of itemsOf(part, 'fromlist')) addConditions(scope, item);
    } else if (part.kind === 'JOINEXPR') {
      addConditions(scope, part.fields.larg);
      addConditions(scope, part.fields.rarg);
    }
    const own = part.kind === 'JOINEXPR' ? removedByJoin(part) : bindable;
    for (const condition of conditionsOf(part.fields.quals)) {
      for (const pair of equalTerms(scope, condition, facts)) {
        for (const [from, to] of [pair, pair.toReversed()]) {
          if (from && to && mayLearn(to, own)) flows.push({ from: [from.term], to: to.term });
        }
      }
    }
  }

  const known = spread(flows);
  return {
    parametersOf: (scope, position, column) => known(columnTerm(scope, position, column)),
  };
}

/** A column of an outer query is a constant for the inner one, which says nothing about the outer rows. */
function mayLearn({ position }: Side, bindable: readonly number[] | undefined): boolean {
  return position !== undefined && (bindable === undefined || bindable.includes(position));
}

const joins = { inner: 0, left: 1, full: 2, right: 3 };

/** Of the rows of the outer side of a join, the condition removes none. */
function removedByJoin(join: TreeNode): readonly number[] | undefined {
  const type = numberOf(join, 'jointype');
  if (type === joins.inner) return undefined;
  if (type === joins.left) return placesIn(join.fields.rarg);
  return type === joins.right ? placesIn(join.fields.larg) : [];
}

/** The conditions that must all hold. */
export function conditionsOf(quals: Tree | undefined): TreeNode[] {
  if (!isNode(quals)) return [];
  const isAll = quals.kind === 'BOOLEXPR' && textOf(quals, 'boolop') === 'and';
  return isAll ? itemsOf(quals, 'args').flatMap(conditionsOf) : [quals];
}

/** The position is set for a column of the scope's own ranges. */
type Side = { readonly term: Term; readonly position?: number };

function equalTerms(scope: Scope, condition: TreeNode, facts: Facts): (readonly [Side, Side])[] {
  if (isEquality(condition, facts)) {
    const [left, right] = itemsOf(condition, 'args').map((arg) => sideOf(scope, arg));
    return left && right ? [[left, right]] : [];
  }
  const inner = scope.inExpressions.get(condition);
  if (!inner || numberOf(condition, 'subLinkType') !== anySublink) return [];
  // `(a, b) in (select …)`: the columns of the subquery are parameters of a kind of their own.
  return conditionsOf(condition.fields.testexpr).flatMap((test) => {
    if (!isEquality(test, facts)) return [];
    const [left, right] = itemsOf(test, 'args');
    const side = sideOf(scope, left);
    const column = isNode(right) ? numberOf(strip(right), 'paramid') : 0;
    return side ? [[side, { term: outputTerm(inner, column), position: 0 }] as const] : [];
  });
}

function isEquality(condition: TreeNode, { operators }: Facts): boolean {
  return condition.kind === 'OPEXPR' && operators.get(numberOf(condition, 'opno'))?.name === '=';
}

const anySublink = 2;
function sideOf(scope: Scope, tree: Tree | undefined): Side | undefined {
  const term = termOf(scope, tree);
  if (term === undefined || !isNode(tree)) return undefined;
  const column = strip(tree);
  const isOwn = column.kind === 'VAR' && numberOf(column, 'varlevelsup') === 0;
  return isOwn ? { term, position: numberOf(column, 'varno') } : { term };
}

/** Repeats all flows until nothing new is learnt. */
function spread(flows: readonly Flow[]): (term: Term) => ReadonlySet<string> {
  const learnt = new Map<Term, Set<string>>();
  const known = (term: Term) =>
    term.startsWith('$') ? new Set([term]) : (learnt.get(term) ?? new Set<string>());
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const { from, to } of flows) {
      const [first, ...others] = from.map(known);
      for (const parameter of first ?? []) {
        if (!others.every((other) => other.has(parameter)) || known(to).has(parameter)) continue;
        learnt.set(to, new Set([...known(to), parameter]));
        isNew = true;
      }
    }
  }
  return known;
}
