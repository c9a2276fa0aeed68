/** The figures of a period as charts: volume and success over time, and payments by mode. Loaded after the figures. */

import { Select } from '../components/form.js';
import { Table } from '../components/table.js';
import { count, counted, date, money, percent, time } from '../core/format.js';
import { html } from '../core/html.js';
import { currentRoute, navigate, withQuery } from '../core/router.js';
import { compactMoney, minorUnits } from './chart-figures.js';
import { listOf } from './figure-links.js';
import { TimeChart } from './time-chart.js';

/** @typedef {import('./overview.js').Sum} Sum */
/** @typedef {import('./overview.js').Share} Share */
/** @typedef {import('./overview.js').Figures} Figures */
/** @typedef {{ from: string, to: string, paid: Sum | undefined, failed: Sum | undefined }} Row */

/** @param {{ figures: Figures }} props */
export function Charts({ figures }) {
  const currencies = currenciesOf(figures);
  const asked = currentRoute.value.query.get('currency') ?? '';
  const currency = currencies.includes(asked) ? asked : currencies[0];
  if (currency === undefined) return null;
  const rows = rowsOf(figures, currency);
  const isHours = Date.parse(rows[0]?.to ?? '') - Date.parse(rows[0]?.from ?? '') < 86_400_000;
  const nameOf = (/** @type {Row} */ row) => (isHours ? time(row.from) : date(row.from));
  const linked = (
    /** @type {Row} */ row,
    /** @type {Sum | undefined} */ sum,
    /** @type {string} */ status,
  ) => {
    if (!sum || sum.payments === 0) return count(0);
    const name = `${count(sum.payments)} ${status}, ${nameOf(row)}`;
    return html`<a href=${listOf(row, { currency, payment_status: status })} aria-label=${name}>${count(sum.payments)}</a>`;
  };
  const times = { from: figures.from, to: figures.to, rows, nameOf };
  return html`<section class="stack" aria-labelledby="charts">
    <div class="head"><h2 id="charts">Over time</h2>
      ${
        currencies.length > 1 &&
        html`<div class="chart-currency"><${Select} label="Currency" name="currency" value=${currency}
          options=${currencies.map((code) => [code, code])}
          onChange=${(/** @type {string} */ code) => navigate(withQuery({ currency: code }))} /></div>`
      }
    </div>
    <div class="columns">
      <${TimeChart} key=${`volume ${currency} ${figures.from} ${figures.to}`} title="Volume" kind="bars" ...${times}
        figureOf=${(/** @type {Row} */ { paid }) => (paid ? minorUnits(paid.amount) : 0)}
        textOf=${(/** @type {Row} */ { paid }) => money(paid?.amount ?? '0', currency)}
        labelOf=${compactMoney(currency)} />
      <${TimeChart} key=${`success ${currency} ${figures.from} ${figures.to}`} title="Success rate" kind="line" ...${times}
        figureOf=${permille} textOf=${successText} labelOf=${(/** @type {number} */ value) => percent(value, 1_000)} max=${1_000} />
    </div>
    <${Modes} figures=${figures} currency=${currency} />
    <details class="chart-table"><summary>Show as table</summary>
      <${Table} caption="Payments over time" rows=${rows} keyOf=${(/** @type {Row} */ row) => row.from}
        columns=${[
          { label: 'When', cell: nameOf },
          {
            label: 'Volume',
            isNumber: true,
            cell: (/** @type {Row} */ { paid }) => money(paid?.amount ?? '0', currency),
          },
          {
            label: 'Succeeded',
            isNumber: true,
            cell: (/** @type {Row} */ row) => linked(row, row.paid, 'succeeded'),
          },
          {
            label: 'Failed',
            isNumber: true,
            cell: (/** @type {Row} */ row) => linked(row, row.failed, 'failed'),
          },
          { label: 'Success rate', isNumber: true, cell: successText },
        ]} />
    </details>
  </section>`;
}

/**
 * The one with the most payments first.
 * @param {Figures} figures
 */
function currenciesOf({ totals: { paid, failed } }) {
  /** @type {Map<string, number>} */
  const payments = new Map();
  for (const sum of [...paid, ...failed]) {
    payments.set(sum.currency, (payments.get(sum.currency) ?? 0) + sum.payments);
  }
  return [...payments].sort(([, a], [, b]) => b - a).map(([currency]) => currency);
}

/**
 * @param {Figures} figures
 * @param {string} currency
 * @returns {Row[]}
 */
function rowsOf({ buckets }, currency) {
  const of = (/** @type {Sum[]} */ sums) => sums.find((sum) => sum.currency === currency);
  return buckets.map(({ from, to, paid, failed }) => ({
    from,
    to,
    paid: of(paid),
    failed: of(failed),
  }));
}

/** @param {Row} row */
function permille({ paid, failed }) {
  const succeeded = paid?.payments ?? 0;
  const all = succeeded + (failed?.payments ?? 0);
  return all === 0 ? null : Math.round((succeeded * 1_000) / all);
}

/** @param {Row} row */
function successText({ paid, failed }) {
  const succeeded = paid?.payments ?? 0;
  return percent(succeeded, succeeded + (failed?.payments ?? 0));
}

/** @param {{ figures: Figures, currency: string }} props */
function Modes({ figures, currency }) {
  const modes = figures.modes.filter((share) => share.currency === currency);
  const all = modes.reduce((sum, { payments }) => sum + payments, 0);
  if (all === 0) return null;
  const most = Math.max(...modes.map(({ payments }) => payments));
  const sorted = modes.toSorted((a, b) => b.payments - a.payments);
  return html`<figure class="card chart"><figcaption>Payments by mode</figcaption>
    <ul class="chart-modes">${sorted.map(
      ({ name, payments }) => html`<li key=${name}>
        <a href=${listOf(figures, { currency, payment_status: 'succeeded', mode: name })}
          aria-label=${`${name === '' ? 'Unknown' : name}: ${counted(payments, 'payment')} in ${currency}`}>${name === '' ? 'Unknown' : name}</a>
        <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect width=${(payments * 100) / most} height="1" /></svg>
        <span class="number">${count(payments)} <span class="quiet">${percent(payments, all)}</span></span>
      </li>`,
    )}</ul>
  </figure>`;
}
