/**
 * Writes CSV as RFC 4180 describes it. Texts that a spreadsheet would run as a formula are made harmless: consumers and
 * shops choose invoices and names, and an operator opens the file. Contract 13.4.
 */

export type CsvCell =
  | string
  /** A number of ours, as exact decimal text. It is not quoted, and a minus is no formula. */
  | { readonly number: string }
  /** Its plus begins no formula that could do anything. */
  | { readonly phone: string }
  | null;

export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return quote(neutralise(cell));
  if ('phone' in cell) return quote(isPhone.test(cell.phone) ? cell.phone : neutralise(cell.phone));
  if (!/^-?\d+(\.\d+)?$/.test(cell.number)) throw new Error('a CSV number must be a plain decimal');
  return cell.number;
}

/** A country code and a number, which may be masked. */
const isPhone = /^\+\d{1,4} ?[\d*]{4,15}$/;

/**
 * Spreadsheets of some countries separate cells by semicolons, and text that is pasted is split at tabs and line breaks.
 * Each of them, with or without a quote behind it, may begin a cell. Full-width forms count in some programs.
 */
const formula = /(?=[=+\-@\t\r＝＋－＠])(?<=(?:^|[;\t\r\n])"*)/g;

/** An apostrophe makes a spreadsheet take the rest as text. */
const neutralise = (text: string): string => text.replaceAll(formula, "'");

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
