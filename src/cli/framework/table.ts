/** Rows of one line each, in aligned columns. On a terminal a line ends with an ellipsis where the terminal ends. */
import { displayExponent } from '../../domain/money/currency.ts';
import { type MinorUnits, majorNumber } from '../../domain/money/money.ts';
import { cutTo, paint, type Screen, type Style, widthOf, withoutControls } from './screen.ts';

export type Column<Row> = {
  readonly title: string;
  /** Null, undefined and the empty text are printed as a dash. */
  readonly text: (row: Row, screen: Screen) => string | null | undefined;
  readonly isRight?: true;
  /** Longer values are cut off on a terminal, so that one value does not push out the columns behind it. */
  readonly widthMax?: number;
  readonly style?: (row: Row) => Style | undefined;
};

const gap = '  ';

export function renderTable<Row>(
  rows: readonly Row[],
  columns: ReadonlyArray<Column<Row>>,
  screen: Screen,
  whenEmpty = 'No rows.',
): string {
  if (rows.length === 0) return whenEmpty;
  const texts = rows.map((row) => columns.map((column) => cellOf(column, row, screen)));
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...texts.map((cells) => widthOf(cells[at] ?? ''))),
  );
  const line = (cells: readonly string[], styleAt: (at: number) => Style | undefined) =>
    joinCells(
      cells.map((cell, at) => pad(cell, widths[at] ?? 0, columns[at])),
      styleAt,
      screen,
    );
  return [
    line(
      columns.map(({ title }) => title),
      () => 'bold',
    ),
    ...rows.map((row, at) => line(texts[at] ?? [], (column) => columns[column]?.style?.(row))),
  ].join('\n');
}

function cellOf<Row>({ text, widthMax }: Column<Row>, row: Row, screen: Screen): string {
  const cell = withoutControls(text(row, screen) || '-');
  return screen.columns === undefined || widthMax === undefined ? cell : cutTo(cell, widthMax);
}

function pad<Row>(cell: string, width: number, column: Column<Row> | undefined): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(cell)));
  return column?.isRight ? space + cell : cell + space;
}

/** Cells are cut before they are painted, because escape codes have no width. */
function joinCells(
  cells: readonly string[],
  styleAt: (at: number) => Style | undefined,
  screen: Screen,
): string {
  const line = cells.join(gap).trimEnd();
  const fitting = screen.columns === undefined ? line : cutTo(line, screen.columns);
  if (!screen.hasColours) return fitting;
  let painted = '';
  let rest = fitting;
  for (const [at, cell] of cells.entries()) {
    const own = rest.slice(0, cell.length + gap.length);
    rest = rest.slice(own.length);
    const style = styleAt(at);
    painted += style === undefined ? own : paint(screen, style, own);
  }
  return painted + rest;
}

const ageUnits = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** `5m`, `3h` or `12d`: how long ago it was, in the largest unit that fits. */
export function ageOf(time: Date | null, { now }: Screen): string | null {
  if (time === null) return null;
  const seconds = Math.max(0, Math.floor((now.getTime() - time.getTime()) / 1_000));
  const [unit, size] = ageUnits.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit}`;
}

const stylesOfStatus: Readonly<Record<string, Style>> = {
  completed: 'green',
  succeeded: 'green',
  processed: 'green',
  failed: 'red',
  dead: 'red',
  needs_review: 'yellow',
  pending: 'yellow',
  parked: 'yellow',
  authorized: 'yellow',
  reversing: 'yellow',
  reversed: 'red',
  lapsed: 'gray',
  stale: 'gray',
  ignored: 'gray',
  expired: 'gray',
  resolved: 'gray',
};

export function styleOfStatus(status: string): Style | undefined {
  return stylesOfStatus[status];
}

/** Amounts are numbers of major units in JSON, and exact decimals in tables. */
export function amountNumber(minor: MinorUnits | null, currency: string | null): number | null {
  return minor === null || currency === null ? null : majorNumber(minor, displayExponent(currency));
}

/** `118.00 INR`, from the number that the JSON contains. Its decimals are exact, so nothing is rounded here. */
export function amountText(major: number | null, currency: string | null): string | null {
  if (major === null || currency === null) return null;
  return `${major.toFixed(displayExponent(currency))} ${currency}`;
}
