/**
 * Finds statements of a migration that the previous release cannot live with while it still serves. A statement is
 * excused by a comment directly above it: docs/decisions/0053-upgrades.md.
 */

export type Hazard = {
  readonly statement: string;
  readonly why: 'breaks the previous release' | 'stops writes';
};

const name = String.raw`(?:"[^"]+"|[\w.]+)`;
const quietly = '(?:if (?:not )?exists )?';
const created = RegExp(`^create (?:unlogged )?table ${quietly}(${name})`);
const altered = RegExp(`^alter table ${quietly}(?:only )?(${name}) `);
const indexed = RegExp(`^create (?:unique )?index .*?\\bon (?:only )?(${name})`);
const retyped = RegExp(`^alter (?:column )?${name} (?:set data )?type `);

/** What a release reads or writes is gone, has another name, or refuses its rows. */
const breaking: readonly RegExp[] = [
  /^drop /,
  /^rename /,
  /^alter (?!table ).* rename /,
  retyped,
  RegExp(`^alter (?:column )?${name} (?:set not null|drop default)`),
  /^add (?:constraint|check|unique|primary key|foreign key|exclude)\b/,
  /^add (?!.*\bdefault\b).*\bnot null\b/,
  /^create unique index /,
];

/** The table is rewritten or read as a whole under a lock, or all its rows are locked. */
const heavy: readonly RegExp[] = [
  retyped,
  indexed,
  /^add .*\b(?:generated|default (?:[\w.]+\(|current_))/,
  /^set (?:logged|unlogged|tablespace|access method)/,
  /^(?:update|delete|lock|cluster|truncate|vacuum|reindex|merge|do) /,
  /^with .*\b(?:update|delete) /,
];

const excuses: Readonly<Record<Hazard['why'], RegExp>> = {
  'breaks the previous release': /^-- Unused since \d+\.\d+\.\d+: \S/,
  'stops writes': /^-- Stops writes: \S/,
};

export function findHazards(text: string): Hazard[] {
  const statements = statementsOf(text);
  const own = new Set(statements.flatMap(({ sql }) => created.exec(sql)?.[1] ?? []));
  return statements.flatMap(({ sql, comments }) => {
    const [, table = ''] = altered.exec(sql) ?? indexed.exec(sql) ?? [];
    // Nobody uses a table that the migration itself creates.
    if (own.has(table)) return [];
    const parts = partsOf(sql);
    const meets = (patterns: readonly RegExp[]) =>
      parts.some((part) => patterns.some((pattern) => pattern.test(part)));
    const reasons: Hazard['why'][] = [];
    if (meets(breaking)) reasons.push('breaks the previous release');
    if (meets(heavy)) reasons.push('stops writes');
    return reasons
      .filter((why) => !comments.some((comment) => excuses[why].test(comment)))
      .map((why) => ({ statement: sql, why }));
  });
}

/** The actions of an `alter table`, each by itself; any other statement is one part. */
function partsOf(sql: string): string[] {
  if (!altered.test(sql)) return [sql];
  return sql.replace(altered, '').split(/, ?(?=(?:add|drop|alter|rename|set) )/);
}

type Written = { readonly sql: string; readonly comments: readonly string[] };

/** In lower case and on one line each, with the comments above it. Semicolons in quoted bodies do not end a statement. */
function statementsOf(text: string): Written[] {
  const tokens =
    /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|;|[^;'$/-]+|[\s\S]/g;
  const written: Written[] = [];
  let [sql, comments]: [string, string[]] = ['', []];
  for (const [token] of text.matchAll(tokens)) {
    if (token.startsWith('--')) comments.push(token);
    else if (token !== ';') sql += token;
    else {
      written.push({ sql: inOneLine(sql), comments });
      [sql, comments] = ['', []];
    }
  }
  const rest = inOneLine(sql);
  return rest === '' ? written : [...written, { sql: rest, comments }];
}

function inOneLine(sql: string): string {
  return sql
    .replaceAll(/\/\*[\s\S]*?\*\//g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
