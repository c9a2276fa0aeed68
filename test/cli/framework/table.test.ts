/** Tables: aligned columns that end where the terminal ends, and nothing in a value that a terminal would obey. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { cutTo, type Screen, widthOf } from '../../../src/cli/framework/screen.ts';
import { ageOf, type Column, renderTable } from '../../../src/cli/framework/table.ts';

type Row = { readonly name: string; readonly state: string | null };

const now = new Date('2026-11-16T10:00:00Z');
const columns: ReadonlyArray<Column<Row>> = [
  { title: 'NAME', text: ({ name }) => name, widthMax: 10 },
  { title: 'STATE', text: ({ state }) => state, style: () => 'green', isRight: true },
  { title: 'MORE', text: () => 'the rest of the line' },
];
const rows: readonly Row[] = [
  { name: 'tea', state: 'new' },
  { name: 'a name of many letters', state: null },
];
const screen = (width: number | undefined, hasColours = false): Screen => ({
  columns: width,
  hasColours,
  now,
});

test('without a terminal values are complete and columns aligned', () => {
  assert.deepEqual(renderTable(rows, columns, screen(undefined)).split('\n'), [
    'NAME                    STATE  MORE',
    'tea                       new  the rest of the line',
    'a name of many letters      -  the rest of the line',
  ]);
});

test('on a terminal no line is wider than it, and what is missing shows as an ellipsis', () => {
  assert.deepEqual(renderTable(rows, columns, screen(28)).split('\n'), [
    'NAME        STATE  MORE',
    'tea           new  the rest…',
    'a name of…      -  the rest…',
  ]);
  for (let width = 1; width < 60; width += 1) {
    for (const line of renderTable(rows, columns, screen(width, true)).split('\n')) {
      assert.ok(widthOf(stripVTControlCharacters(line)) <= width, `${width}: ${line}`);
    }
  }
});

test('colours change nothing but the colour', () => {
  const painted = renderTable(rows, columns, screen(28, true));
  assert.ok(painted.includes('\u001b[32m'));
  assert.equal(stripVTControlCharacters(painted), renderTable(rows, columns, screen(28)));
});

test('wide characters and characters of several code points are measured as a terminal shows them', () => {
  assert.equal(widthOf('茶店'), 4);
  assert.equal(widthOf('cafe\u0301'), 4);
  assert.equal(widthOf('🍵'), 2);
  assert.equal(cutTo('茶店のお茶', 6), '茶店…');
  const mixed = [
    { name: '茶店', state: 'new' },
    { name: 'tea', state: 'new' },
  ];
  const [, first = '', second = ''] = renderTable(mixed, columns, screen(undefined)).split('\n');
  assert.equal(widthOf(first), widthOf(second));
});

test('control characters of a value do not reach the terminal', () => {
  const name = 'x\u001b[2J\n\u202ey';
  const table = renderTable([{ name, state: 'new' }], columns, screen(undefined));
  assert.equal(table.split('\n').length, 2);
  assert.ok(table.includes('x\ufffd[2J\ufffd\ufffdy'));
});

test('an age is told in its largest unit', () => {
  const at = (seconds: number) => ageOf(new Date(now.getTime() - seconds * 1_000), screen(80));
  assert.deepEqual([0, 59, 60, 3_599, 3_600, 86_399, 86_400 * 40, -5].map(at), [
    '0s',
    '59s',
    '1m',
    '59m',
    '1h',
    '23h',
    '40d',
    '0s',
  ]);
});
