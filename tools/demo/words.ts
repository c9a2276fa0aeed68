/** Formats the output of the demo: colours on a terminal, long values shortened. */
import { inspect } from 'node:util';

const isColoured = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;

export const heading = (text: string): string => (isColoured ? `\x1b[1;36m${text}\x1b[0m` : text);
export const dim = (text: string): string => (isColoured ? `\x1b[2m${text}\x1b[0m` : text);

/** A readable body: tokens and other long texts are shortened. */
export function readable(value: unknown): string {
  const cut: unknown = JSON.parse(
    JSON.stringify(value, (_name, field: unknown) =>
      typeof field === 'string' && field.length > 90 ? `${field.slice(0, 12)}…` : field,
    ),
  );
  const text = inspect(cut, { breakLength: 96, compact: 3, depth: 6, colors: isColoured });
  return text.replaceAll('\n', '\n    ');
}

export function money(amount: number | null, currency: string | null): string {
  return amount === null ? '' : `${amount.toFixed(2)} ${currency ?? ''}`;
}

/** A progress bar that is redrawn on a terminal; otherwise a line for every tenth of the work. */
export function progress(done: number, total: number, label: string): void {
  const width = 30;
  const filled = Math.round((width * done) / total);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total} ${label}`;
  if (process.stdout.isTTY) process.stdout.write(`\r${bar}${done === total ? '\n' : ''}`);
  else if (done % Math.ceil(total / 10) === 0 || done === total) console.log(bar);
}

/** Columns as wide as their content, with numbers aligned to the right. */
export function table(
  names: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = [names, ...rows].map((row) => row.map(String));
  const widths = names.map((_name, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map((row, line) =>
      row
        .map((cell, column) => {
          const isNumber = line > 0 && typeof rows[line - 1]?.[column] === 'number';
          const width = widths[column] ?? 0;
          return isNumber || (line === 0 && column > 0) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  '),
    )
    .join('\n');
}
