/** Where a statement names an account table, what it does there, and to which parameters the account is bound. */
import type { Bindings } from './statement-bindings.ts';
import type { Facts } from './statement-facts.ts';
import { commandOf, commands, rangeKind, rangeKinds, type Scope } from './statement-scopes.ts';
import { findNode, nodesOf, numberOf, type TreeNode } from './statement-tree.ts';

/** An account table where a statement names it. */
export type Occurrence = {
  readonly scope: Scope;
  /** Its position among the ranges of the scope, and the number of its column `account_id`. */
  readonly position: number;
  readonly column: number;
  readonly name: string;
  readonly use: 'reads' | 'locks' | 'updates' | 'upserts into' | 'deletes from' | 'inserts into';
  readonly parameters: ReadonlySet<string>;
};

export function occurrencesIn(scope: Scope, facts: Facts, bindings: Bindings): Occurrence[] {
  const { query, ranges } = scope;
  const target = numberOf(query, 'resultRelation');
  const locked = nodesOf(query, 'rowMarks').map((mark) => numberOf(mark, 'rti'));
  const conflict = findNode(query, 'onConflict');
  const excluded = conflict && numberOf(conflict, 'exclRelIndex');
  return ranges.flatMap((range, index) => {
    const position = index + 1;
    const table = findAccountTable(range, facts);
    if (!table || position === excluded) return [];
    const use =
      position === target ? written(scope) : locked.includes(position) ? 'locks' : 'reads';
    const parameters = bindings.parametersOf(scope, position, table.column);
    return [{ scope, position, ...table, use, parameters }];
  });
}

function written(scope: Scope): Occurrence['use'] {
  const command = commandOf(scope);
  if ([commands.update, commands.merge].includes(command)) return 'updates';
  if (command === commands.delete) return 'deletes from';
  return isUpsert(scope) ? 'upserts into' : 'inserts into';
}

const doUpdate = 2;

function isUpsert({ query }: Scope): boolean {
  const conflict = findNode(query, 'onConflict');
  return conflict !== undefined && numberOf(conflict, 'action') === doUpdate;
}

type AccountTable = { readonly name: string; readonly column: number };

/** Undefined for a subquery or a function, and for a table that no account owns. */
export function findAccountTable(range: TreeNode, facts: Facts): AccountTable | undefined {
  if (rangeKind(range) !== rangeKinds.table) return undefined;
  const table = facts.tables.get(numberOf(range, 'relid'));
  if (table?.accountColumn === undefined) return undefined;
  return { name: table.name, column: table.accountColumn };
}

export function namesOf(occurrences: readonly Occurrence[]): string[] {
  return occurrences.map(({ name }) => name);
}

export function listed(names: readonly string[]): string {
  return [...new Set(names)].join(', ');
}
