/**
 * Names for what may be equal in a statement: parameters, columns of ranges, and columns that queries return; and how
 * they follow from each other by the structure of the statement alone.
 */
import {
  commandOf,
  commands,
  isUnionAll,
  outputOf,
  rangeAt,
  rangeKind,
  rangeKinds,
  type Scope,
  scopeAbove,
  unitedBy,
} from './statement-scopes.ts';
import {
  findNode,
  isNode,
  itemsOf,
  nodesOf,
  numberOf,
  type Tree,
  type TreeNode,
  textOf,
} from './statement-tree.ts';

/** A parameter, a column of a range, or a column that a query returns. */
export type Term = string;

/** What is known of all sources is known of the target. */
export type Flow = { readonly from: readonly Term[]; readonly to: Term };

export function structureFlows(scope: Scope): Flow[] {
  return [...outputFlows(scope), ...rangeFlows(scope), ...insertFlows(scope)];
}

/** Casts between types of the same bytes, and collations, do not change what is equal. */
export function strip(node: TreeNode): TreeNode {
  const inner =
    ['RELABELTYPE', 'COLLATEEXPR', 'COLLATE'].includes(node.kind) && findNode(node, 'arg');
  return inner ? strip(inner) : node;
}

const sublinkParameter = 2;

export function termOf(scope: Scope, tree: Tree | undefined): Term | undefined {
  if (!isNode(tree)) return undefined;
  const node = strip(tree);
  if (node.kind === 'PARAM' && numberOf(node, 'paramkind') !== sublinkParameter) {
    return `$${textOf(node, 'paramid')}`;
  }
  if (node.kind !== 'VAR') return undefined;
  const owner = scopeAbove(scope, numberOf(node, 'varlevelsup'));
  const position = numberOf(node, 'varno');
  const column = numberOf(node, 'varattno');
  const range = rangeAt(owner, position);
  if (!range) return undefined;
  const kind = rangeKind(range);
  if (kind === rangeKinds.join) return termOf(owner, itemsOf(range, 'joinaliasvars')[column - 1]);
  if (kind === rangeKinds.group) return termOf(owner, itemsOf(range, 'groupexprs')[column - 1]);
  const inner = owner.inRanges.get(position);
  return inner ? outputTerm(inner, column) : columnTerm(owner, position, column);
}

export function columnTerm({ id }: Scope, position: number, column: number): Term {
  return `column ${id}.${position}.${column}`;
}

export function outputTerm({ id }: Scope, column: number): Term {
  return `output ${id}.${column}`;
}

/** Between the columns that a query returns and what they are made of. */
function outputFlows(scope: Scope): Flow[] {
  const united = unitedBy(scope);
  const passes = passesConditions(scope);
  return columnsOf(scope).flatMap((column) => {
    const output = outputTerm(scope, column);
    const own = termOf(scope, outputOf(scope, column));
    const alone = own === undefined ? [] : [own];
    const from = united.length > 0 ? united.map((one) => outputTerm(one, column)) : alone;
    if (from.length === 0) return [];
    return [{ from, to: output }, ...(passes ? from.map((to) => ({ from: [output], to })) : [])];
  });
}

function columnsOf({ query }: Scope): number[] {
  const entries = [...nodesOf(query, 'targetList'), ...nodesOf(query, 'returningList')];
  return [...new Set(entries.map((entry) => numberOf(entry, 'resno')))];
}

/** Whether PostgreSQL applies a condition on the result already to the rows that the query reads. */
function passesConditions(scope: Scope): boolean {
  const { query, parent } = scope;
  if (!parent || commandOf(scope) !== commands.select) return false;
  if ([...parent.inWith.values()].includes(scope)) return false;
  if (findNode(query, 'setOperations') && !isUnionAll(scope)) return false;
  const changing = ['limitCount', 'limitOffset', 'distinctClause', 'groupClause', 'rowMarks'];
  if (changing.some((field) => query.fields[field] !== null)) return false;
  return !['hasAggs', 'hasWindowFuncs', 'hasTargetSRFs'].some(
    (flag) => textOf(query, flag) === 'true',
  );
}

/** Into the columns of a `values` list, and of a query of `with` where it is named. */
function rangeFlows(scope: Scope): Flow[] {
  return scope.ranges.flatMap((range, index) => {
    const position = index + 1;
    const common = commonOf(scope, range);
    if (common) {
      return columnsOf(common).map((column) => ({
        from: [outputTerm(common, column)],
        to: columnTerm(scope, position, column),
      }));
    }
    const rows = itemsOf(range, 'values_lists').filter((row) => Array.isArray(row));
    const columns = (rows[0] ?? []).map((_, column) => column);
    return columns.flatMap((column) => {
      const from = rows
        .map((row) => termOf(scope, row[column]))
        .filter((term) => term !== undefined);
      return from.length < rows.length
        ? []
        : [{ from, to: columnTerm(scope, position, column + 1) }];
    });
  });
}

function commonOf(scope: Scope, range: TreeNode): Scope | undefined {
  if (rangeKind(range) !== rangeKinds.with) return undefined;
  return scopeAbove(scope, numberOf(range, 'ctelevelsup')).inWith.get(textOf(range, 'ctename'));
}

/** Into the columns of a table from what is inserted. */
function insertFlows(scope: Scope): Flow[] {
  if (commandOf(scope) !== commands.insert) return [];
  const target = numberOf(scope.query, 'resultRelation');
  return nodesOf(scope.query, 'targetList').flatMap((entry) => {
    const from = termOf(scope, entry.fields.expr);
    const to = columnTerm(scope, target, numberOf(entry, 'resno'));
    return from === undefined ? [] : [{ from: [from], to }];
  });
}
