/** A list as text: a table, and how to continue. */

import type { Screen } from './screen.ts';
import { type Column, renderTable } from './table.ts';

export function renderList<Row>(
  rows: readonly Row[],
  columns: ReadonlyArray<Column<Row>>,
  next: string | undefined,
  screen: Screen,
): string {
  return [
    rows.length === 0 ? 'No rows.' : renderTable(rows, columns, screen),
    ...(next === undefined ? [] : ['', `There are more: add --after ${next}`]),
  ].join('\n');
}
