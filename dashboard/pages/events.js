/** Events of the account, one row for each endpoint, newest order first. Filters are in the address. */
import { useState } from 'preact/hooks';
import { Action } from '../components/action.js';
import { Dialog } from '../components/dialog.js';
import { FilterBar } from '../components/filter-bar.js';
import { Form, Select } from '../components/form.js';
import { Pager } from '../components/pager.js';
import { Empty, Loaded } from '../components/states.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { say } from '../components/toast.js';
import { useResultCount } from '../core/announce.js';
import { post } from '../core/api.js';
import { count, counted, sentence, shortUrl } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { currentRoute, hrefOf, withQuery } from '../core/router.js';
import { may } from '../core/session.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/events.ts').listedEventView>} Listed */
/** @typedef {import('./endpoints.js').Endpoint} Endpoint */

/** @param {{ endpoints: Endpoint[] }} props */
export function Events({ endpoints }) {
  const { query } = currentRoute.value;
  const live = useLive(`/events${query.size === 0 ? '' : `?${query}`}`);
  useResultCount(live, ({ events }) => events, 'event');
  const [isAsking, setAsking] = useState(false);
  const orderId = query.get('order_id');
  const hasUndelivered = endpoints.some((one) => one.enabled && one.undelivered.count > 0);
  return html`<h2>Events</h2>
    <${FilterBar} filters=${filtersFor(endpoints)}>
      ${
        orderId !== null &&
        html`<p class="hook-chip">Order <code>${orderId}</code>
          <a href=${hrefOf(withQuery({ order_id: null, after: null }))}>All orders</a></p>`
      }
      ${
        hasUndelivered &&
        may('operator') &&
        html`<button type="button" class="hook-resend" onClick=${() => setAsking(true)}>Resend undelivered</button>`
      }
    </${FilterBar}>
    <${Loaded} live=${live}>${(
      /** @type {{ events: Listed[], next: string | null }} */ data,
    ) => html`
      ${
        data.events.length === 0
          ? html`<${Empty} title=${data.next === null ? 'No events' : 'No match among the newest events'} />`
          : html`<${Table} caption="Events, newest order first" rows=${data.events}
              keyOf=${(/** @type {Listed} */ one) => `${one.event_id} ${one.endpoint_id}`}
              columns=${columnsFor(endpoints, live.reload)} />`
      }
      <${Pager} next=${data.next} label="the events" />`}
    </${Loaded}>
    ${isAsking && html`<${ResendUndelivered} endpoint=${query.get('endpoint')} close=${() => setAsking(false)} reload=${live.reload} />`}`;
}

/** @param {Endpoint[]} endpoints */
function filtersFor(endpoints) {
  return [
    {
      name: 'state',
      label: 'State',
      options: ['pending', 'delivered', 'undelivered'].map((state) => [state, sentence(state)]),
    },
    ...(endpoints.length > 1
      ? [
          {
            name: 'endpoint',
            label: 'Endpoint',
            options: endpoints.map(({ endpoint_id, url }) => [endpoint_id, shortUrl(url)]),
          },
        ]
      : []),
  ];
}

/**
 * @param {Endpoint[]} endpoints
 * @param {() => void} reload
 * @returns {import('../components/table.js').Column<Listed>[]}
 */
function columnsFor(endpoints, reload) {
  const urls = new Map(endpoints.map(({ endpoint_id, url }) => [endpoint_id, url]));
  const disabled = new Set(endpoints.filter((one) => !one.enabled).map((one) => one.endpoint_id));
  const urlOf = (/** @type {Listed} */ { endpoint_id }) => shortUrl(urls.get(endpoint_id) ?? '');
  const resend = async (/** @type {Listed} */ { event_id, endpoint_id }) => {
    await post(`/events/${event_id}/resend`, { endpoint_id });
    say('Resending the event.');
    reload();
  };
  return [
    {
      label: 'Event',
      cell: ({ event_id, event_type }) =>
        html`<a class="hook-line" href=${hrefOf(`/webhooks/${event_id}`)}>${sentence(event_type)}</a>`,
    },
    {
      label: 'Order',
      cell: ({ order_id }) =>
        html`<a class="hook-line" href=${hrefOf(`/orders/${order_id}`)}><code>${order_id}</code></a>`,
    },
    { label: 'State', cell: ({ state }) => html`<${Status} of=${state} />` },
    { label: 'Attempts', isNumber: true, cell: ({ attempts }) => count(attempts) },
    { label: 'Next attempt', cell: (one) => nextCell(one, disabled) },
    ...(endpoints.length > 1
      ? [
          {
            label: 'Endpoint',
            cell: (/** @type {Listed} */ one) =>
              html`<span class="hook-short" title=${urlOf(one)}>${urlOf(one)}</span>`,
          },
        ]
      : []),
    {
      label: 'Occurred',
      cell: ({ occurred_at }) => html`<span class="hook-line"><${Time} at=${occurred_at} /></span>`,
    },
    ...(may('operator')
      ? [
          {
            label: 'Actions',
            cell: (/** @type {Listed} */ one) =>
              html`<span class="buttons"><${Action} label="Resend" about=${`${sentence(one.event_type)}, ${one.order_id}, ${urlOf(one)}`}
                onAct=${() => resend(one)} /></span>`,
          },
        ]
      : []),
  ];
}

/**
 * @param {Listed} event
 * @param {Set<string>} disabled Ids of endpoints.
 */
function nextCell({ next_attempt_at, endpoint_id }, disabled) {
  if (next_attempt_at === null) return null;
  if (disabled.has(endpoint_id)) return 'When enabled';
  if (Date.parse(next_attempt_at) <= Date.now()) return 'Now';
  return html`<span class="hook-line"><${Time} at=${next_attempt_at} relative /></span>`;
}

/** @param {{ endpoint: string | null, close: () => void, reload: () => void }} props */
function ResendUndelivered({ endpoint, close, reload }) {
  const resend = async (/** @type {FormData} */ fields) => {
    const since = new Date(Date.now() - Number(fields.get('hours')) * 3_600_000).toISOString();
    const body = { since, ...(endpoint !== null && { endpoint_id: endpoint }) };
    const { resent, more } = await post('/events/resend', body);
    close();
    say(
      `Resending ${counted(resent, 'event')}.${more ? ' There are more: resend again to send them too.' : ''}`,
    );
    reload();
  };
  return html`<${Dialog} title="Resend undelivered events" onClose=${close}>
    <p>Events that could not be delivered are sent again with the same IDs and bodies, ${endpoint === null ? 'to every enabled endpoint' : 'to the chosen endpoint'}.</p>
    <${Form} action="Resend" onSend=${resend} onCancel=${close}>
      <${Select} label="Events that occurred" name="hours" value="168"
        options=${[
          ['1', 'In the last hour'],
          ['24', 'In the last 24 hours'],
          ['168', 'In the last 7 days'],
          ['720', 'In the last 30 days'],
        ]} />
    </${Form}>
  </${Dialog}>`;
}
