/** Splits the text of a migration into its statements. Citus cannot run several that are sent as one. Contract 10.4. */

/** A semicolon that ends a statement; or a quoted text, comment or dollar-quoted body, whose semicolons do not. */
const tokens = /'(?:[^']|'')*'|--[^\n]*|(\$\w*\$)[\s\S]*?\1|;/g;

export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let start = 0;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token !== ';') continue;
    statements.push(text.slice(start, index));
    start = index + 1;
  }
  return [...statements, text.slice(start)]
    .map((statement) => statement.trim())
    .filter((statement) => statement.replace(/--[^\n]*/g, '').trim() !== '');
}
