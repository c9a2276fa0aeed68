/** The orders of the account: filtered, or found by one text. */
import { useEffect, useRef } from 'preact/hooks';
import { FilterBar } from '../components/filter-bar.js';
import { Field } from '../components/form.js';
import { Pager } from '../components/pager.js';
import { Empty, Loaded } from '../components/states.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { Money, Time } from '../components/text.js';
import { useResultCount } from '../core/announce.js';
import { useChoices } from '../core/choices.js';
import { count, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { base, currentRoute, hrefOf, navigate } from '../core/router.js';
import { may } from '../core/session.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/orders.ts').listedOrderView>} Listed */

const filters = [
  {
    name: 'status',
    label: 'Status',
    options: ['new', 'pending', 'completed', 'lapsed'].map((status) => [status, sentence(status)]),
  },
  {
    name: 'payment_status',
    label: 'Payment',
    options: [
      ['succeeded', 'Succeeded'],
      ['failed', 'Failed'],
    ],
  },
  {
    name: 'mode',
    label: 'Mode',
    // As payments name them: see contract 4.1.
    options: [
      'UPI',
      'Credit Card',
      'Debit Card',
      'Netbanking',
      'Wallet',
      'Prepaid Card',
      'Credit Card EMI',
      'Debit Card EMI',
      'Card',
      'Pay Later',
    ].map((mode) => [mode, mode]),
  },
  { name: 'refunded', label: 'Refunds', options: [['yes', 'Refunded']] },
  { name: 'disputed', label: 'Disputes', options: [['yes', 'Disputed']] },
];

/**
 * An amount needs a currency: the usual one, unless one is chosen.
 * @param {import('../core/choices.js').Choices} choices
 * @param {URLSearchParams} query
 * @returns {import('../components/filter-bar.js').Filter[]}
 */
function moreFilters({ providers, flags, currencies }, query) {
  const [usual = null] = currencies;
  const withCurrency = (/** @type {string} */ amount) => ({
    currency: amount === '' ? query.get('currency') : (query.get('currency') ?? usual),
  });
  const withoutAmounts = (/** @type {string} */ currency) => ({
    amount_min: currency === '' ? null : query.get('amount_min'),
    amount_max: currency === '' ? null : query.get('amount_max'),
  });
  /** @type {import('../components/filter-bar.js').Filter[]} */
  const given = query.getAll('failure').map((failure) => ({
    // Figures lead here with a reason that nobody would choose from a list.
    name: 'failure',
    label: 'Failure',
    options: [[failure, sentence(failure.toLowerCase())]],
  }));
  return [
    {
      name: 'provider',
      label: 'Provider',
      options: providers.map(({ name, display_name }) => [name, display_name]),
    },
    { name: 'flag', label: 'Flag', options: flags.map((flag) => [flag, sentence(flag)]) },
    { name: 'from', label: 'Created from', kind: 'time' },
    { name: 'to', label: 'Created before', kind: 'time' },
    {
      name: 'currency',
      label: 'Currency',
      also: withoutAmounts,
      options: currencies.map((currency) => [currency, currency]),
    },
    { name: 'amount_min', label: 'Amount from', kind: 'amount', also: withCurrency },
    { name: 'amount_max', label: 'Amount up to', kind: 'amount', also: withCurrency },
    ...given,
  ];
}

export function Page() {
  const { query } = currentRoute.value;
  const text = query.get('text');
  return html`<div class="head"><h1>Orders</h1>
      ${may('operator') && html`<a class="link-new" href=${hrefOf('/payment-links/new')}>New payment link</a>`}
      <${SearchField} text=${text} /></div>
    ${text === null ? html`<${FilteredOrders} />` : html`<${FoundOrders} text=${text} />`}`;
}

/** @param {{ text: string | null }} props */
function SearchField({ text }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  // The address has changed: by a search, or by the back button. The field stays, and so does the focus.
  useEffect(() => {
    if (field.current) field.current.value = text ?? '';
  }, [text]);
  const search = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const wanted = String(new FormData(event.currentTarget).get('text')).trim();
    navigate(wanted === '' ? '/orders' : `/orders?text=${encodeURIComponent(wanted)}`);
  };
  return html`<form class="search" role="search" onSubmit=${search}>
    <${Field} label="Search" name="text" type="search"
      input=${{ ref: field, placeholder: 'ID, start of invoice, email or phone' }} />
  </form>`;
}

function FilteredOrders() {
  const query = currentRoute.value.query.toString();
  const live = useLive(`/orders${query === '' ? '' : `?${query}`}`);
  const exported = new URLSearchParams(currentRoute.value.query);
  exported.delete('after');
  const more = moreFilters(useChoices(), currentRoute.value.query);
  useResultCount(live, ({ orders }) => orders, 'order');
  return html`<${FilterBar} filters=${filters} more=${more}>
      <a class="export" href=${`${base}/api/orders.csv?${exported}`} download="orders.csv">Export CSV</a>
    </${FilterBar}>
    <${Loaded} live=${live}>${(
      /** @type {{ orders: Listed[], looked_at: number, next: string | null }} */ data,
    ) => html`
      ${
        data.orders.length === 0
          ? html`<${Empty} title=${data.next === null ? 'No orders match' : `No match among the ${count(data.looked_at)} orders checked so far`} />`
          : html`<${Orders} orders=${data.orders} />`
      }
      <${Pager} next=${data.next} label="the orders" />`}
    </${Loaded}>`;
}

/** @param {{ text: string }} props */
function FoundOrders({ text }) {
  const live = useLive(`/search?text=${encodeURIComponent(text)}`);
  useResultCount(live, ({ orders }) => orders, 'order');
  return html`<p><a href=${hrefOf('/orders')}>All orders</a></p>
    <${Loaded} live=${live}>${(/** @type {{ orders: Listed[], more: boolean }} */ found) =>
      found.orders.length === 0
        ? html`<${Empty} title=${`Nothing found for “${text}”`}>
          <p>IDs, email addresses and phone numbers must be complete. Of an invoice, the beginning is enough.</p></${Empty}>`
        : html`<${Orders} orders=${found.orders} />
          ${found.more && html`<p class="quiet">There are more results. Search for a longer text.</p>`}`}
  </${Loaded}>`;
}

/** @param {{ orders: Listed[] }} props */
function Orders({ orders }) {
  return html`<${Table} caption="Orders, newest first" rows=${orders} columns=${columns}
    keyOf=${(/** @type {Listed} */ order) => order.order_id} />`;
}

/** @type {import('../components/table.js').Column<Listed>[]} */
const columns = [
  {
    label: 'Invoice',
    cell: ({ order_id, invoice_id }) =>
      html`<a href=${hrefOf(`/orders/${order_id}`)}>${invoice_id}</a>`,
  },
  {
    label: 'Status',
    cell: ({ status, disputed }) =>
      html`<span class="statuses"><${Status} of=${status} />${disputed && html`<${Status} of="disputed" />`}</span>`,
  },
  {
    label: 'Amount',
    isNumber: true,
    cell: ({ total_amount, currency }) =>
      html`<${Money} amount=${total_amount} currency=${currency} />`,
  },
  {
    label: 'Payment',
    cell: ({ payment }) =>
      payment === null
        ? null
        : `${payment.payment_mode ?? payment.provider_name}, ${payment.payment_status}`,
  },
  { label: 'Consumer', cell: ({ user }) => user?.name ?? user?.email ?? null },
  { label: 'Flags', cell: ({ flags }) => flags.map(sentence).join(', ') || null },
  { label: 'Created', cell: ({ created_at }) => html`<${Time} at=${created_at} />` },
];
