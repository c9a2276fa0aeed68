/**
 * Writes CSV as RFC 4180 describes it. Texts that a spreadsheet would run as a formula are made harmless: consumers and
 * shops choose invoices and names, and an operator opens the file.
 */

/** A number of ours, as exact decimal text. It is not quoted, and a minus is no formula. */
export type CsvNumber = { readonly number: string };

export type CsvCell = string | CsvNumber | null;

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return quote(neutralise(cell));
  if (!/^-?\d+(\.\d+)?$/.test(cell.number)) throw new Error('a CSV number must be a plain decimal');
  return cell.number;
}

/** A leading apostrophe makes a spreadsheet take the rest as text. Full-width forms count in some of them. */
function neutralise(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
