/** The endpoints of the account: their state, what waits for them, and what can be done with them. */
import { useState } from 'preact/hooks';
import { Action } from '../components/action.js';
import { withConfirmation } from '../components/confirm-identity.js';
import { Menu } from '../components/menu.js';
import { Empty } from '../components/states.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { say } from '../components/toast.js';
import { call, post } from '../core/api.js';
import { count, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { hrefOf } from '../core/router.js';
import { may } from '../core/session.js';
import { ChangeEndpoint, DeleteEndpoint, RotateSecret, Tested } from './endpoint-dialogs.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/endpoints.ts').listedEndpointView>} Endpoint */
/** @typedef {Endpoint['pending']} Counted */
/** @typedef {{ delivered: boolean, status: number | null, duration_ms: number, response: string }} TestResult */
/** @typedef {{ kind: 'change' | 'rotate' | 'delete', endpoint: Endpoint } | { kind: 'tested', endpoint: Endpoint, result: TestResult }} Opened */

/** @param {{ endpoints: Endpoint[], types: Endpoint['events'], reload: () => void }} props */
export function Endpoints({ endpoints, types, reload }) {
  const [dialog, open] = useState(/** @type {Opened | undefined} */ (undefined));
  const close = () => open(undefined);
  const done = (/** @type {string} */ text) => {
    close();
    say(text);
    reload();
  };
  if (endpoints.length === 0) {
    return html`<div class="card"><${Empty} title="No endpoints yet">
      <p>An endpoint is a URL of your shop. It receives an event whenever a payment, a refund or an order changes.</p>
    </${Empty}></div>`;
  }
  return html`<${Table} caption="Endpoints" rows=${endpoints}
      keyOf=${(/** @type {Endpoint} */ one) => one.endpoint_id} columns=${columnsWith(open, reload)} />
    ${dialog?.kind === 'tested' && html`<${Tested} endpoint=${dialog.endpoint} result=${dialog.result} close=${close} />`}
    ${dialog?.kind === 'change' && html`<${ChangeEndpoint} endpoint=${dialog.endpoint} types=${types} close=${close} done=${done} />`}
    ${dialog?.kind === 'rotate' && html`<${RotateSecret} endpoint=${dialog.endpoint} close=${close} />`}
    ${dialog?.kind === 'delete' && html`<${DeleteEndpoint} endpoint=${dialog.endpoint} close=${close} done=${done} />`}`;
}

/**
 * @param {(dialog: Opened) => void} open
 * @param {() => void} reload
 * @returns {import('../components/table.js').Column<Endpoint>[]}
 */
function columnsWith(open, reload) {
  return [
    { label: 'Endpoint', cell: ({ url }) => html`<span class="hook-url">${url}</span>` },
    { label: 'State', cell: stateCell },
    { label: 'Events', cell: eventsCell },
    { label: 'Pending', cell: (one) => backlogCell(one, 'pending') },
    { label: 'Undelivered', cell: (one) => backlogCell(one, 'undelivered') },
    ...(may('operator')
      ? [
          {
            label: 'Actions',
            cell: (/** @type {Endpoint} */ one) =>
              html`<${Actions} endpoint=${one} open=${open} reload=${reload} />`,
          },
        ]
      : []),
  ];
}

/** @param {Endpoint} endpoint */
function stateCell({ enabled, disabled_reason, failing_since }) {
  if (!enabled) {
    return html`<div><${Status} of="disabled" /> <span class="quiet">${disabled_reason}</span></div>`;
  }
  if (failing_since !== null) {
    return html`<div><${Status} of="failing" /> <span class="quiet">since <${Time} at=${failing_since} /></span></div>`;
  }
  return html`<${Status} of="enabled" />`;
}

/** @param {Endpoint} endpoint */
function eventsCell({ all_events, events }) {
  if (all_events) return 'All';
  return html`<span title=${events.map(sentence).join(', ')}>${events.length === 1 ? sentence(events[0] ?? '') : `${count(events.length)} types`}</span>`;
}

/**
 * @param {Endpoint} endpoint
 * @param {'pending' | 'undelivered'} state
 */
function backlogCell(endpoint, state) {
  const { count: number, more } = endpoint[state];
  if (number === 0) return html`<span class="quiet">0</span>`;
  const query = new URLSearchParams({ state, endpoint: endpoint.endpoint_id });
  return html`<a href=${hrefOf(`/webhooks?${query}`)}>${count(number)}${more && '+'}</a>`;
}

/** @param {{ endpoint: Endpoint, open: (dialog: Opened) => void, reload: () => void }} props */
function Actions({ endpoint, open, reload }) {
  const { endpoint_id, url, enabled } = endpoint;
  const test = async () =>
    open({ kind: 'tested', endpoint, result: await post(`/endpoints/${endpoint_id}/test`) });
  const toggle = async (/** @type {() => void} */ close) => {
    close();
    await withConfirmation(() => call('PATCH', `/endpoints/${endpoint_id}`, { enabled: !enabled }));
    say(enabled ? 'Endpoint disabled. Its events stay pending.' : 'Endpoint enabled.');
    reload();
  };
  const choice = (/** @type {string} */ label, /** @type {() => void} */ onClick) =>
    html`<li><button type="button" class="link" aria-label=${`${label}: ${url}`} onClick=${onClick}>${label}</button></li>`;
  const choices = (/** @type {() => void} */ close) => {
    const choose = (/** @type {'change' | 'rotate' | 'delete'} */ kind) => () => {
      close();
      open({ kind, endpoint });
    };
    return html`
      ${choice('Edit URL and types', choose('change'))}
      <li><${Action} kind="link" label=${enabled ? 'Disable' : 'Enable'} about=${url} onAct=${() => toggle(close)} /></li>
      ${choice('Rotate secret', choose('rotate'))}
      ${choice('Delete', choose('delete'))}`;
  };
  return html`<div class="buttons">
    <${Action} label="Send test" about=${url} busy="Sending…" onAct=${test} />
    ${may('owner') && html`<${Menu} kind="hook-menu" summary="More" label=${`More for ${url}`}>${choices}</${Menu}>`}
  </div>`;
}
