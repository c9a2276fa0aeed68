/** CSV that spreadsheets and parsers read as it was meant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvLine } from '../../src/domain/csv.ts';

test('cells with commas, quotes or line breaks are quoted, others are not', () => {
  const cells = ['plain', 'a,b', 'say "hi"', 'two\r\nlines', '', null, 'tea ☕'];
  assert.equal(csvLine(cells), 'plain,"a,b","say ""hi""","two\r\nlines",,,tea ☕\r\n');
});

test('text that a spreadsheet would run gets an apostrophe', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝']) {
    const text = `${start}HYPERLINK(1)`;
    const [cell] = readCsv(csvLine([text]))[0] ?? [];
    assert.equal(cell, `'${text}`);
  }
  assert.equal(csvLine(['=1,2']), `"'=1,2"\r\n`);
  assert.equal(csvLine(['a=1']), 'a=1\r\n');
});

test('numbers of ours stay numbers, also negative ones, and nothing else passes as one', () => {
  assert.equal(
    csvLine([{ number: '-10.50' }, { number: '90071992547409931' }]),
    '-10.50,90071992547409931\r\n',
  );
  for (const number of ['=1', '1e3', '', '1,5', '-', 'NaN']) {
    assert.throws(() => csvLine([{ number }]));
  }
});

test('any texts come back from a parser as they were, but for the apostrophe', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 5 }),
      (cells) => {
        const [read = [], ...rest] = readCsv(csvLine(cells));
        assert.deepEqual(rest, []);
        for (const [place, cell] of cells.entries()) {
          const got = read[place] ?? '';
          assert.ok(got === cell || got === `'${cell}`);
          assert.doesNotMatch(got, /^[=+\-@\t\r\n]/);
        }
      },
    ),
  );
});

/** A plain reader of RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const [whole = '', quoted, plain = '', end = ''] =
      /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? assert.fail(rest);
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') {
      rows.push(row);
      row = [];
    }
    rest = rest.slice(whole.length);
  }
  return rows;
}
