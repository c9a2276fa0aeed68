/**
 * The rules that let a statement run on a cluster whose tables are spread over nodes by account (contract 10.4,
 * docs/decisions/0056). A statement is judged by its query tree, in which PostgreSQL has resolved all names.
 */
import { findBindings } from './statement-bindings.ts';
import type { Facts } from './statement-facts.ts';
import { refuseLateral } from './statement-laterals.ts';
import { refuseUnlimited } from './statement-limits.ts';
import { listed, namesOf, type Occurrence, occurrencesIn } from './statement-occurrences.ts';
import {
  allScopes,
  isUnionAll,
  openScopes,
  placesIn,
  rangeKind,
  rangeKinds,
  type Scope,
  unitedBy,
} from './statement-scopes.ts';
import { numberOf, type TreeNode } from './statement-tree.ts';
import { findChangeable } from './statement-volatility.ts';

/** The rules that the statement breaks, as sentences. */
export function findBrokenRules(tree: TreeNode, facts: Facts): string[] {
  const root = openScopes(tree);
  const bindings = findBindings(root, facts);
  const occurrences = allScopes(root).flatMap((scope) => occurrencesIn(scope, facts, bindings));
  if (occurrences.length === 0) return [];
  const parts = partsOf(root).map((part) => {
    const scopes = new Set(allScopes(part));
    return { part, own: occurrences.filter(({ scope }) => scopes.has(scope)) };
  });
  return [
    ...refuseOtherTables(root, facts, occurrences),
    ...parts.flatMap(({ part, own }) => {
      const unbound = refuseUnbound(part, own);
      return unbound.length > 0 ? unbound : refuseUnlimited(part, own, facts);
    }),
    ...refuseLateral(root, facts),
    ...refuseChangeable(root, facts, occurrences),
  ];
}

/** Queries that are united by `union all`, and nothing else, run one by one. */
function partsOf(scope: Scope): Scope[] {
  const { inRanges, inWith, inExpressions, query } = scope;
  if (inWith.size > 0 || inExpressions.size > 0) return [scope];
  if (isUnionAll(scope)) return unitedBy(scope).flatMap(partsOf);
  const from = placesIn(query.fields.jointree);
  const only = from.length === 1 && inRanges.size === 1 ? inRanges.get(from[0] ?? 0) : undefined;
  return only && isUnionAll(only) ? partsOf(only) : [scope];
}

function refuseOtherTables(
  root: Scope,
  facts: Facts,
  occurrences: readonly Occurrence[],
): string[] {
  const others = allScopes(root)
    .flatMap(({ ranges }) => ranges)
    .filter((range) => rangeKind(range) === rangeKinds.table)
    .map((range) => facts.tables.get(numberOf(range, 'relid')))
    .filter((table) => table !== undefined && table.accountColumn === undefined)
    .map((table) => table?.name ?? '');
  if (others.length === 0) return [];
  return [`names ${listed(namesOf(occurrences))}, and ${listed(others)}, which no account owns`];
}

/** What reads one account table and no other rows may read all accounts; everything else names one. */
function refuseUnbound(part: Scope, own: readonly Occurrence[]): string[] {
  const [first] = own;
  if (!first) return [];
  const isBound = [...first.parameters].some((parameter) =>
    own.every(({ parameters }) => parameters.has(parameter)),
  );
  if (isBound) return [];
  const unbound = own.filter(({ parameters }) => parameters.size === 0);
  const which = unbound.length > 0 ? listed(namesOf(unbound)) : listed(namesOf(own));
  const missing = `without one "account_id = $n" for ${which}`;
  const writes = own.filter(({ use }) => !['reads', 'inserts into'].includes(use));
  if (writes.length > 0) {
    return [...new Set(writes.map(({ use, name }) => `${use} ${name} ${missing}`))];
  }
  if (own.length > 1) return [`combines ${listed(own.map(({ name }) => name))} ${missing}`];
  if (first.use === 'inserts into') {
    return first.scope.parent ? [`inserts into ${first.name} inside "with" ${missing}`] : [];
  }
  return hasRows(part) ? [`joins ${first.name} with rows of parameters ${missing}`] : [];
}

/** Rows that a statement brings along, such as `unnest($1::text[])`. */
function hasRows(part: Scope): boolean {
  const brought: readonly number[] = [rangeKinds.function, rangeKinds.values];
  return allScopes(part).some(({ ranges }) =>
    ranges.some((range) => brought.includes(rangeKind(range))),
  );
}

/** A node of the cluster must compute the same as any other, so nothing may depend on settings or the time. */
function refuseChangeable(root: Scope, facts: Facts, occurrences: readonly Occurrence[]): string[] {
  const changing = occurrences.filter(({ use }) =>
    ['updates', 'upserts into', 'deletes from'].includes(use),
  );
  if (changing.length === 0) return [];
  const found = allScopes(root).flatMap(({ query }) => findChangeable(query, facts));
  return [...new Set(found)].map(
    (name) => `writes ${listed(namesOf(changing))} with ${name}, which is not immutable`,
  );
}
