/** The figures of a period and what needs attention. Each figure leads to the orders that it counts. */
import { useEffect, useState } from 'preact/hooks';
import { Deadline } from '../components/deadline.js';
import { FilterBar } from '../components/filter-bar.js';
import { Empty, Loaded } from '../components/states.js';
import { Table } from '../components/table.js';
import { count, counted, money, percent, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { currentRoute, hrefOf } from '../core/router.js';
import { listOf } from './figure-links.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/overview.ts').overviewView>} Figures */
/** @typedef {Figures['modes'][number]} Share */
/** @typedef {Omit<Share, 'name'>} Sum */
/** @typedef {Figures['attention']['review']} Counted */

const periods = /** @type {const} */ ([
  ['1', 'Today'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['365', '1 year'],
]);
const usualDays = '7';

export function Page() {
  const days = currentRoute.value.query.get('days') ?? usualDays;
  const live = useLive(`/overview?${periodOf(Number(days) || 7)}`);
  return html`<div class="head"><h1>Overview</h1></div>
    <${FilterBar} filters=${[{ name: 'days', label: 'Period', options: periods, usual: usualDays }]} />
    <${Loaded} live=${live}>${(/** @type {Figures} */ figures) => html`
      <${Attention} attention=${figures.attention} />
      ${!figures.complete && html`<p class="banner">Older orders are still being counted, so these figures may be too low.</p>`}
      <${Totals} figures=${figures} />
      <${ChartsLater} figures=${figures} />
      <div class="columns">
        <${Shares} title="Payment modes" label="Mode" shares=${figures.modes} figures=${figures} filter="mode" status="succeeded" />
        <${Shares} title="Failure reasons" label="Reason" shares=${figures.failures} figures=${figures} filter="failure" status="failed" />
      </div>`}
    </${Loaded}>`;
}

/**
 * Whole local days, the present one included.
 * @param {number} days
 */
function periodOf(days) {
  const now = new Date();
  const to = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  const from = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1 - days);
  // The service counts by half hours, so other offsets are rounded.
  const offset = -30 * Math.round(now.getTimezoneOffset() / 30);
  return new URLSearchParams({
    from: from.toISOString(),
    to: to.toISOString(),
    bucket: days > 2 ? 'day' : 'hour',
    offset_minutes: String(offset),
  });
}

/** What each count is called, for one and for several, and the list behind it. The review has dead deliveries too. */
const attentionLinks = /** @type {const} */ ({
  review: ['to review', 'to review', '/review'],
  parked_deliveries: ['parked delivery', 'parked deliveries', '/inbox?state=parked'],
  undelivered_events: ['undelivered event', 'undelivered events', '/webhooks?state=undelivered'],
  disabled_endpoints: ['disabled endpoint', 'disabled endpoints', '/webhooks'],
});

/**
 * The figures do not wait for the charts.
 * @param {{ figures: Figures }} props
 */
function ChartsLater({ figures }) {
  const [loaded, setLoaded] = useState(/** @type {{ Charts?: any, isFailed?: boolean }} */ ({}));
  useEffect(() => {
    import('./charts.js').then(setLoaded, () => setLoaded({ isFailed: true }));
  }, []);
  // Everything in the charts is in the figures and lists too.
  if (loaded.isFailed || figures.totals.paid.length + figures.totals.failed.length === 0)
    return null;
  return loaded.Charts
    ? html`<${loaded.Charts} figures=${figures} />`
    : html`<div class="chart-space"></div>`;
}

/** @param {{ attention: Figures['attention'] }} props */
function Attention({ attention }) {
  const { disputes } = attention;
  const names = /** @type {(keyof typeof attentionLinks)[]} */ (Object.keys(attentionLinks));
  const needed = names.filter((name) => attention[name].count > 0);
  if (needed.length === 0 && disputes.count === 0)
    return html`<p class="quiet">Nothing needs attention.</p>`;
  return html`<section aria-labelledby="attention" class="card">
    <h2 id="attention">Needs attention</h2>
    <ul class="attention">${disputes.count > 0 && html`<${DisputesToAnswer} disputes=${disputes} />`}${needed.map(
      (name) => {
        const { count: number, more } = attention[name];
        const [one, several, path] = attentionLinks[name];
        return html`<li key=${name}><a href=${hrefOf(path)}>
        <strong>${count(number)}${more && '+'}</strong> ${number === 1 && !more ? one : several}</a></li>`;
      },
    )}</ul>
  </section>`;
}

/** @param {{ disputes: Figures['attention']['disputes'] }} props */
function DisputesToAnswer({ disputes: { count: number, more, claims, respond_by } }) {
  const amounts = claims.map(({ amount, currency }) => money(amount, currency)).join(', ');
  return html`<li><a href=${hrefOf('/disputes')}><strong>${count(number)}${more && '+'}</strong>${' '}
      ${number === 1 ? 'dispute' : 'disputes'} to answer</a>${amounts !== '' && `, ${amounts}`}
    ${respond_by !== null && html` until <${Deadline} at=${respond_by} />`}</li>`;
}

/** @param {{ figures: Figures }} props */
function Totals({ figures }) {
  const { totals } = figures;
  const paid = totals.paid.reduce((sum, { payments }) => sum + payments, 0);
  const failed = totals.failed.reduce((sum, { payments }) => sum + payments, 0);
  const link = (/** @type {Record<string, string>} */ filter) => listOf(figures, filter);
  /** @type {[string, Sum[], Record<string, string>][]} */
  const rows = [
    ['Created', totals.created, {}],
    ['Completed', totals.completed, { status: 'completed' }],
    ['Paid', totals.paid, { payment_status: 'succeeded' }],
    ['Failed', totals.failed, { payment_status: 'failed' }],
    ['Refunded', totals.refunded, { refunded: 'yes' }],
  ];
  return html`<ul class="figures">
    ${rows.map(
      ([title, sums, filter]) => html`<li key=${title} class="card">
        <h2>${title}</h2>
        ${sums.length === 0 && html`<p class="figure"><a href=${link(filter)} aria-label=${`${title}: 0`}>0</a></p>`}
        ${sums.map(
          ({ currency, orders, amount }) => html`<p key=${currency} class="figure">
            <a href=${link({ ...filter, currency })} aria-label=${`${title}: ${money(amount, currency)}`}>${money(amount, currency)}</a>
            <span class="quiet">${counted(orders, 'order')}</span></p>`,
        )}
      </li>`,
    )}
    <li class="card"><h2>Success rate</h2><p class="figure">${percent(paid, paid + failed)}
      <span class="quiet"><a href=${link({ payment_status: 'succeeded' })}>${counted(paid, 'payment')} succeeded</a></span>
      <span class="quiet"><a href=${link({ payment_status: 'failed' })}>${counted(failed, 'payment')} failed</a></span></p></li>
  </ul>`;
}

/** @param {{ title: string, label: string, shares: Share[], figures: Figures, filter: string, status: string }} props */
function Shares({ title, label, shares, figures, filter, status }) {
  const link = (/** @type {Share} */ { name, currency }) =>
    listOf(figures, { currency, payment_status: status, [filter]: name });
  const sorted = shares.toSorted((a, b) => b.payments - a.payments);
  return html`<section class="stack"><h2>${title}</h2>
    ${
      shares.length === 0
        ? html`<${Empty} title="None in this period" />`
        : html`<${Table} caption=${title} rows=${sorted} keyOf=${(/** @type {Share} */ share) => `${share.currency} ${share.name}`}
            columns=${[
              {
                label,
                cell: (/** @type {Share} */ share) =>
                  html`<a href=${link(share)} aria-label=${`${nameOf(share)}, ${share.currency}`}>${nameOf(share)}</a>`,
              },
              {
                label: 'Payments',
                isNumber: true,
                cell: (/** @type {Share} */ share) => count(share.payments),
              },
              {
                label: 'Amount',
                isNumber: true,
                cell: (/** @type {Share} */ share) => money(share.amount, share.currency),
              },
            ]} />`
    }
  </section>`;
}

/** @param {Share} share */
function nameOf({ name }) {
  if (name === '') return 'Unknown';
  return /^[A-Z_]+$/.test(name) && name.includes('_') ? sentence(name.toLowerCase()) : name;
}
