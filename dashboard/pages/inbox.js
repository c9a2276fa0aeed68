/** The deliveries of the providers by state. One of them can be opened beside the list, and replayed. */
import { Delivery } from '../components/delivery.js';
import { FilterBar } from '../components/filter-bar.js';
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
import { currentRoute, hrefOf, withQuery } from '../core/router.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/inbox.ts').listedDeliveryView>} Listed */

const states = [
  'received',
  'parked',
  'needs_review',
  'dead',
  'processed',
  'stale',
  'ignored',
  'resolved',
  'expired',
];

export function Page() {
  const { query } = currentRoute.value;
  const open = query.get('delivery');
  const listed = new URLSearchParams(query);
  listed.delete('delivery');
  const live = useLive(`/inbox?${listed}`);
  useResultCount(live, ({ deliveries }) => deliveries, 'delivery', 'deliveries');
  const { providers } = useChoices();
  const filters = [
    { name: 'state', label: 'State', options: states.map((state) => [state, sentence(state)]) },
    {
      name: 'provider',
      label: 'Provider',
      options: providers.map(({ name, display_name }) => [name, display_name]),
    },
  ];
  return html`<div class="head"><h1>Inbox</h1></div>
    <div class=${open === null ? 'inbox' : 'inbox is-split'}>
      <div class="inbox-list stack">
        <${FilterBar} filters=${filters} />
        <${Loaded} live=${live}>${(
          /** @type {{ deliveries: Listed[], looked_at: number, next: string | null }} */ data,
        ) => html`
          ${
            data.deliveries.length === 0
              ? html`<${Empty} title=${data.next === null ? 'No deliveries match' : `No match among the ${count(data.looked_at)} deliveries checked so far`} />`
              : html`<${Deliveries} deliveries=${data.deliveries} open=${open} />`
          }
          <${Pager} next=${data.next} label="the inbox" />`}
        </${Loaded}>
      </div>
      ${open !== null && html`<${Delivery} key=${open} deliveryId=${open} onChange=${live.reload} />`}
    </div>`;
}

/** @param {{ deliveries: Listed[], open: string | null }} props */
function Deliveries({ deliveries, open }) {
  /** @type {import('../components/table.js').Column<Listed>[]} */
  const columns = [
    {
      label: 'Event',
      cell: ({ delivery_id, event }) =>
        html`<a class="opens" href=${hrefOf(withQuery({ delivery: delivery_id }))} data-delivery=${delivery_id}
          aria-current=${delivery_id === open ? 'true' : undefined}>${event ?? 'Delivery'}</a>`,
    },
    { label: 'State', cell: ({ state }) => html`<${Status} of=${state} />` },
    {
      label: 'Amount',
      isNumber: true,
      cell: ({ amount, currency }) =>
        amount === null || currency === null
          ? null
          : html`<${Money} amount=${amount} currency=${currency} />`,
    },
    {
      label: 'Order',
      cell: ({ order_id }) =>
        order_id === null
          ? null
          : html`<a class="beside" href=${hrefOf(`/orders/${order_id}`)}><code>${order_id}</code></a>`,
    },
    { label: 'Provider', cell: ({ provider_name }) => provider_name },
    { label: 'Received', cell: ({ received_at }) => html`<${Time} at=${received_at} />` },
  ];
  const visibleColumns = columns.filter(
    ({ label }) => open === null || (label !== 'Order' && label !== 'Provider'),
  );
  return html`<${Table} caption="Deliveries, newest first" rows=${deliveries} columns=${visibleColumns}
    keyOf=${(/** @type {Listed} */ delivery) => delivery.delivery_id} />`;
}
