/** Finds what a query computes with functions, operators and casts that are not immutable. */
import type { Facts } from './statement-facts.ts';
import { findNode, itemsOf, numberOf, type TreeNode, walkQuery } from './statement-tree.ts';

export function findChangeable(
  query: TreeNode,
  facts: Facts,
  /** Only what is computed for each row: everything else has one value for the whole statement. */
  { perRow = false } = {},
): string[] {
  const found: string[] = [];
  walkQuery(query, (node) => {
    if (perRow && !usesColumn(node)) return;
    const functions = functionsOf(node, facts).map((oid) => facts.changeable.get(oid));
    found.push(...functions.filter((name) => name !== undefined));
    if (node.kind === 'SQLVALUEFUNCTION') found.push('the current time or user');
    if (node.kind === 'NEXTVALUEEXPR') found.push('a sequence');
    if (node.kind === 'COERCEVIAIO') found.push(...castOf(node, facts));
  });
  return [...new Set(found)];
}

function usesColumn(node: TreeNode): boolean {
  let isFound = false;
  walkQuery(node, ({ kind }) => {
    isFound ||= kind === 'VAR';
  });
  return isFound;
}

function functionsOf(node: TreeNode, facts: Facts): number[] {
  const own = ['funcid', 'opfuncid', 'aggfnoid', 'winfnoid', 'hashfuncid', 'negfuncid'];
  const operators = [numberOf(node, 'opno'), ...itemsOf(node, 'opnos').map(Number)];
  return [
    ...own.map((field) => numberOf(node, field)),
    ...operators.map((oid) => facts.operators.get(oid)?.code ?? 0),
  ];
}

/** A cast by way of the text form of both types. */
function castOf(node: TreeNode, facts: Facts): string[] {
  const source = findNode(node, 'arg');
  const from = source && facts.writtenDifferently.get(typeOf(source));
  const to = facts.readDifferently.get(numberOf(node, 'resulttype'));
  return [
    ...(from === undefined ? [] : [`a cast from ${from}`]),
    ...(to === undefined ? [] : [`a cast to ${to}`]),
  ];
}

/** The field that names the type of an expression depends on its kind. */
const typeFields =
  /^(vartype|paramtype|consttype|(func|op|coalesce|case|minmax|agg|win)\w*type|resulttype|array_typeid|typeId|refrestype)$/;

function typeOf(node: TreeNode): number {
  const field = Object.keys(node.fields).find((name) => typeFields.test(name));
  return field === undefined ? 0 : numberOf(node, field);
}
