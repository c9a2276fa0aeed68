/** A table that becomes a list of cards on a phone. */
import { html } from '../core/html.js';

/**
 * @template Row
 * @typedef {object} Column
 * @property {string} label
 * @property {(row: Row) => any} cell
 * @property {boolean} [isNumber] Aligned to the right.
 */

/**
 * @template Row
 * @param {object} props
 * @param {string} props.caption For screen readers.
 * @param {Column<Row>[]} props.columns The first one names the row.
 * @param {Row[]} props.rows
 * @param {(row: Row, index: number) => string} props.keyOf
 */
export function Table({ caption, columns, rows, keyOf }) {
  return html`<div class="table-frame"><table>
    <caption class="unseen">${caption}</caption>
    <thead><tr>${columns.map(
      ({ label, isNumber }) =>
        html`<th scope="col" class=${isNumber ? 'number' : ''}>${label}</th>`,
    )}</tr></thead>
    <tbody>${rows.map(
      (row, index) =>
        html`<tr key=${keyOf(row, index)}>${columns.map((column, index) => cell(column, row, index))}</tr>`,
    )}</tbody>
  </table></div>`;
}

/**
 * @template Row
 * @param {Column<Row>} column
 * @param {Row} row
 * @param {number} index
 */
function cell({ label, cell, isNumber }, row, index) {
  const kind = isNumber ? 'number' : '';
  return index === 0
    ? html`<th scope="row" class=${kind}>${cell(row)}</th>`
    : html`<td class=${kind} data-label=${label}>${cell(row)}</td>`;
}
