/** CSV that spreadsheets and parsers read as it was meant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvLine } from '../../src/domain/csv.ts';
import { readCsv } from '../support/read-csv.ts';

test('every text is quoted, also an empty one, and a missing value is empty', () => {
  const cells = ['plain', 'a,b', 'say "hi"', 'two\r\nlines', '', null, 'tea ☕'];
  assert.equal(csvLine(cells), '"plain","a,b","say ""hi""","two\r\nlines","",,"tea ☕"\r\n');
});

test('text that a spreadsheet would run gets an apostrophe, wherever it might begin a cell', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '＝', '＋']) {
    const text = `${start}HYPERLINK(1)`;
    const [cell] = readCsv(csvLine([text]))[0] ?? [];
    assert.equal(cell, `'${text}`);
  }
  const inside: [text: string, written: string][] = [
    ['a;=1', "a;'=1"],
    ['a;"=1', `a;"'=1`],
    ['a\t+1', "a\t'+1"],
    ['a\n-1', "a\n'-1"],
    ['a\r\n@b', "a\r\n'@b"],
    [';;=1;=2', ";;'=1;'=2"],
    ['\t=1', "'\t'=1"],
    ['a=1', 'a=1'],
    ['tea; sugar - 2@5', 'tea; sugar - 2@5'],
    ['two\r\nlines', 'two\r\nlines'],
  ];
  for (const [text, written] of inside) {
    assert.deepEqual(readCsv(csvLine([text])), [[written]], JSON.stringify(text));
  }
});

test('a phone number keeps its plus, and nothing else passes as one', () => {
  for (const phone of ['+91 9876543210', '+91 ******3210', '+919876543210']) {
    assert.equal(csvLine([{ phone }]), `"${phone}"\r\n`);
  }
  for (const phone of ['+91 9;=1', '+1+cmd|2', '+91 98765 43210+1', '=1', '+91(1)', '+1 2\n=3']) {
    const [[cell = ''] = []] = readCsv(csvLine([{ phone }]));
    assert.ok(cell.startsWith("'"), cell);
  }
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

test('any texts come back from a parser as they were, but for apostrophes, and run in no spreadsheet', () => {
  const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...'=+-@;\t\r\n"\','));
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), (cells) => {
      const line = csvLine(cells);
      const [read = [], ...rest] = readCsv(line);
      assert.deepEqual(rest, []);
      for (const [index, cell] of cells.entries()) {
        const got = read[index] ?? '';
        assert.equal(got.replaceAll("'", ''), cell.replaceAll("'", ''));
        // Where a semicolon or a tab separates cells, one of them may begin within a text, or within its quotes.
        for (const part of got.split(/[;\t\r\n]/)) assert.doesNotMatch(part, /^"*[=+\-@]/);
        assert.doesNotMatch(got, /^[\t\r]/);
      }
    }),
    { numRuns: 2_000 },
  );
});
