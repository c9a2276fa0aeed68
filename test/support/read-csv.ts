/** A plain reader of RFC 4180. */
import assert from 'node:assert/strict';

export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (field.lastIndex < text.length) {
    const from = field.lastIndex;
    const [, quoted, plain = '', end] = field.exec(text) ?? assert.fail(text.slice(from));
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}
