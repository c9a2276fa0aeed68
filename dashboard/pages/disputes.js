/** The disputes of the account, the nearest deadline first, and what was won. */
import { Deadline } from '../components/deadline.js';
import { claimOf, evidenceHref, reasonOf } from '../components/disputes.js';
import { FilterBar } from '../components/filter-bar.js';
import { Pager } from '../components/pager.js';
import { Empty, Loaded } from '../components/states.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { useResultCount } from '../core/announce.js';
import { useChoices } from '../core/choices.js';
import { count, counted, money, percent, sentence, time } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { currentRoute, hrefOf } from '../core/router.js';
import { session } from '../core/session.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/disputes.ts').listedDisputeView>} Listed */
/** @typedef {ReturnType<typeof import('../../src/http/dashboard/disputes.ts').totalsView>} Totals */
/** @typedef {{ disputes: Listed[], totals: Totals, looked_at: number, next: string | null }} Found */

const statuses = ['open', 'under_review', 'lost', 'won', 'closed'];
const phases = ['retrieval', 'fraud', 'chargeback', 'pre_arbitration', 'arbitration'];

/** @param {readonly string[]} words */
const options = (words) => words.map((word) => [word, sentence(word)]);

export function Page() {
  const query = currentRoute.value.query.toString();
  const live = useLive(`/disputes${query === '' ? '' : `?${query}`}`);
  useResultCount(live, ({ disputes }) => disputes, 'dispute');
  const { providers, currencies } = useChoices();
  const filters = [
    { name: 'status', label: 'Status', options: options(statuses) },
    { name: 'phase', label: 'Phase', options: options(phases) },
    {
      name: 'provider',
      label: 'Provider',
      options: providers.map(({ name, display_name }) => [name, display_name]),
    },
    { name: 'currency', label: 'Currency', options: currencies.map((one) => [one, one]) },
  ];
  return html`<div class="head"><h1>Disputes</h1>
      <button type="button" onClick=${() => print()}>Print</button></div>
    <p class="printed quiet">${session.value?.account?.name}, ${time(new Date())}</p>
    <${Loaded} live=${live}>${(/** @type {Found} */ found) => html`
      <${Sums} totals=${found.totals} />
      <${FilterBar} filters=${filters} />
      ${found.disputes.length === 0 ? html`<${None} found=${found} />` : html`<${List} disputes=${found.disputes} />`}
      <${Pager} next=${found.next} label="the disputes" toFirst="First page" toNext="Next page" />`}
    </${Loaded}>`;
}

/** @param {{ found: Found }} props */
function None({ found }) {
  const { query } = currentRoute.value;
  if (found.next !== null) {
    return html`<${Empty} title=${`No match among the ${count(found.looked_at)} disputes checked so far`} />`;
  }
  return query.size > 0
    ? html`<${Empty} title="No disputes match" />`
    : html`<${Empty} title="Nobody has disputed a payment">
        <p>When a consumer asks the bank to take a payment back, it is listed here with the time that you have to answer.</p></${Empty}>`;
}

/** @param {{ totals: Totals }} props */
function Sums({ totals }) {
  const { waiting, under_review, won, lost } = totals;
  const more = totals.more_unfinished ? '+' : '';
  const ended = won.count + lost.count;
  if (waiting.count + under_review.count + ended === 0) return null;
  return html`<ul class="figures dispute-sums">
    <li class="card"><h2>To answer</h2>
      <p class="figure">${count(waiting.count)}${more}</p>
      <${Claims} claims=${waiting.claims} />
      ${waiting.respond_by !== null && html`<p><${Deadline} at=${waiting.respond_by} /></p>`}</li>
    <li class="card"><h2>With the bank</h2>
      <p class="figure">${count(under_review.count)}${more}</p>
      <${Claims} claims=${under_review.claims} /></li>
    <li class="card"><h2>Share won</h2>
      <p class="figure">${percent(won.count, ended)}
        <span class="quiet">${count(won.count)} of ${counted(ended, 'decision')}${totals.more_ended && ', the newest'}</span></p>
      <${Claims} claims=${won.claims} word="won" />
      <${Claims} claims=${lost.claims} word="lost" /></li>
  </ul>`;
}

/** @param {{ claims: Totals['won']['claims'], word?: string }} props */
function Claims({ claims, word = '' }) {
  return claims.map(
    ({ currency, amount }) =>
      html`<p key=${`${word} ${currency}`} class="quiet claims">${money(amount, currency)} ${word}</p>`,
  );
}

/** @param {{ disputes: Listed[] }} props */
function List({ disputes }) {
  return html`<div class="disputes"><${Table} caption="Disputes, the nearest deadline first" rows=${disputes} columns=${columns}
    keyOf=${(/** @type {Listed} */ one) => `${one.order_id} ${one.dispute_id}`} /></div>`;
}

/** @type {import('../components/table.js').Column<Listed>[]} */
const columns = [
  {
    label: 'Reason',
    cell: (dispute) => html`<div><a href=${evidenceHref(dispute)}>${reasonOf(dispute)}</a>
      <p class="quiet detail"><code>${dispute.dispute_id}</code> ${dispute.provider_name}</p></div>`,
  },
  { label: 'Amount', isNumber: true, cell: (dispute) => claimOf(dispute) },
  { label: 'Phase', cell: ({ phase }) => phase && sentence(phase) },
  { label: 'Status', cell: ({ status }) => html`<${Status} of=${status} />` },
  {
    label: 'Deadline',
    cell: ({ status, waits_for_shop, respond_by, changed_at }) => {
      if (waits_for_shop) return html`<${Deadline} at=${respond_by} />`;
      return status === 'under_review'
        ? html`<span class="quiet">The bank decides</span>`
        : html`<span class="quiet">Ended <${Time} at=${changed_at} /></span>`;
    },
  },
  {
    label: 'Order',
    cell: ({ order_id, invoice_id }) =>
      html`<a href=${hrefOf(`/orders/${order_id}`)}>${invoice_id ?? order_id}</a>`,
  },
];
