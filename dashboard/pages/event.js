/** One event: what was sent, to which endpoints, and every attempt. */
import { Action } from '../components/action.js';
import { Facts } from '../components/facts.js';
import { Empty, Loaded } from '../components/states.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { Copyable, Time } from '../components/text.js';
import { say } from '../components/toast.js';
import { useTitle } from '../core/announce.js';
import { post } from '../core/api.js';
import { count, sentence, shortUrl } from '../core/format.js';
import { html } from '../core/html.js';
import { bodyText } from '../core/json-text.js';
import { useLive } from '../core/live.js';
import { hrefOf } from '../core/router.js';
import { may } from '../core/session.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/events.ts').eventView>} EventReply */
/** @typedef {EventReply['event']} Event */
/** @typedef {EventReply['endpoints'][number]} AtEndpoint */
/** @typedef {EventReply['attempts'][number]} Attempt */

/** @param {{ params: Record<string, string> }} props */
export function Page({ params }) {
  const path = `/events/${encodeURIComponent(params.event_id ?? '')}`;
  const live = useLive(path);
  useTitle(live.data && sentence(live.data.event.event_type));
  return html`<p class="order-trail"><a href=${hrefOf('/webhooks')}>Webhooks</a></p>
    <${Loaded} live=${live} isPage>${(
      /** @type {EventReply} */ { event, endpoints, attempts },
    ) => html`
      <div class="head"><h1>${sentence(event.event_type)}</h1>
        <${Copyable} text=${event.event_id} label="event ID" /></div>
      <${Facts} kind="card stacked" facts=${factsOf(event)} />
      <h2>Endpoints</h2>
      ${
        endpoints.length === 0
          ? html`<p class="quiet">The endpoints it was meant for have been deleted.</p>`
          : html`<${Table} caption="Endpoints of this event" rows=${endpoints}
              keyOf=${(/** @type {AtEndpoint} */ one) => one.endpoint_id} columns=${endpointColumns(path, live.reload)} />`
      }
      <h2>Attempts</h2>
      <${Attempts} attempts=${attempts} endpoints=${endpoints} />
      <h2>Body</h2>
      ${
        event.body === null
          ? html`<p class="quiet">The body was deleted after the retention period.</p>`
          : html`<pre class="block" tabindex="0" role="group" aria-label="Body">${bodyText(event.body)}</pre>`
      }`}
    </${Loaded}>`;
}

/**
 * @param {Event} event
 * @returns {import('../components/facts.js').FactList}
 */
function factsOf(event) {
  return [
    [
      'Order',
      html`<a href=${hrefOf(`/orders/${event.order_id}`)}><code>${event.order_id}</code></a>`,
    ],
    ['Transaction', event.transaction_id && html`<code>${event.transaction_id}</code>`],
    ['Status', sentence(event.status)],
    ['Sequence', html`${count(event.sequence)} <span class="quiet">of this order</span>`],
    ['Occurred', html`<${Time} at=${event.occurred_at} />`],
  ];
}

/**
 * @param {string} path
 * @param {() => void} reload
 * @returns {import('../components/table.js').Column<AtEndpoint>[]}
 */
function endpointColumns(path, reload) {
  const resend = async (/** @type {AtEndpoint} */ { endpoint_id }) => {
    await post(`${path}/resend`, { endpoint_id });
    say('Resending the event.');
    reload();
  };
  return [
    { label: 'Endpoint', cell: ({ url }) => html`<span class="hook-url">${url}</span>` },
    { label: 'State', cell: ({ state }) => html`<${Status} of=${state} />` },
    { label: 'Attempts', isNumber: true, cell: ({ attempts }) => count(attempts) },
    {
      label: 'Next attempt',
      cell: ({ next_attempt_at }) =>
        next_attempt_at === null ? null : html`<${Time} at=${next_attempt_at} />`,
    },
    ...(may('operator')
      ? [
          {
            label: 'Actions',
            cell: (/** @type {AtEndpoint} */ one) =>
              html`<span class="buttons"><${Action} label="Resend" about=${one.url} onAct=${() => resend(one)} /></span>`,
          },
        ]
      : []),
  ];
}

/** @param {{ attempts: Attempt[], endpoints: AtEndpoint[] }} props */
function Attempts({ attempts, endpoints }) {
  if (attempts.length === 0) return html`<${Empty} title="No attempts yet" />`;
  const urls = new Map(endpoints.map(({ endpoint_id, url }) => [endpoint_id, url]));
  const newestFirst = attempts.map((attempt, index) => ({ ...attempt, index })).reverse();
  return html`<${Table} caption="Attempts, newest first" rows=${newestFirst}
    keyOf=${(/** @type {{ index: number }} */ one) => String(one.index)}
    columns=${[
      { label: 'When', cell: (/** @type {Attempt} */ one) => html`<${Time} at=${one.at} />` },
      { label: 'Result', cell: resultCell },
      {
        label: 'Duration',
        isNumber: true,
        cell: (/** @type {Attempt} */ one) => `${count(one.duration_ms)} ms`,
      },
      ...(endpoints.length > 1
        ? [
            {
              label: 'Endpoint',
              cell: (/** @type {Attempt} */ one) =>
                html`<span class="hook-url">${addressOf(urls.get(one.endpoint_id))}</span>`,
            },
          ]
        : []),
      {
        label: 'Response',
        cell: (/** @type {Attempt} */ one) =>
          one.response === null || one.response === ''
            ? null
            : html`<span class="hook-answer">${one.response}</span>`,
      },
    ]} />`;
}

/** @param {string | undefined} url */
function addressOf(url) {
  return url === undefined ? 'Deleted' : shortUrl(url);
}

/** @param {Attempt} attempt */
function resultCell({ status }) {
  const isGood = status !== null && status >= 200 && status < 300;
  return html`<span><${Status} of=${isGood ? 'delivered' : 'failed'} /> ${status === null ? 'no response' : `HTTP\u00a0${status}`}</span>`;
}
