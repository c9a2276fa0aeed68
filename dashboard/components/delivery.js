/** One delivery: what became of it, what was understood, and its body, in which personal data is masked. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { post } from '../core/api.js';
import { useChoices } from '../core/choices.js';
import { capital, money, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { bodyText } from '../core/json-text.js';
import { useLive } from '../core/live.js';
import { hrefOf, withQuery } from '../core/router.js';
import { may } from '../core/session.js';
import { Dialog } from './dialog.js';
import { Form } from './form.js';

import { Loaded } from './states.js';
import { Status } from './status.js';
import { Copyable, Time } from './text.js';
import { say } from './toast.js';

/**
 * @typedef {object} Notice
 * @property {string} psp_transaction_id
 * @property {string} status
 * @property {string | null} amount
 * @property {string | null} currency
 * @property {string | null} occurred_at
 * @property {string | null} message
 * @property {string | null} failure
 * @property {string | null} record
 * @property {string | null} [payment_mode]
 * @property {string} [refund_request_id]
 */

/**
 * @typedef {object} Shown
 * @property {string} delivery_id
 * @property {string} provider
 * @property {string} state
 * @property {string | null} why
 * @property {string[]} flags
 * @property {string | null} order_id
 * @property {number} tries
 * @property {string | null} next_try_at
 * @property {string} received_at
 * @property {string | null} finished_at
 * @property {string | null} event
 * @property {string | null} event_id
 * @property {Record<string, string> | null} headers
 * @property {string | null} body
 * @property {boolean} body_pruned
 * @property {{ kind: string, why?: string, payment?: Notice | null, refund?: Notice | null } | null} understood
 */

/** @type {Record<string, string>} */
const meanings = {
  received: 'It is stored and will be applied.',
  processed: 'It was applied to its order.',
  stale: 'It changed nothing: what was known ranks higher.',
  ignored: 'It was understood, and there is nothing to do about it.',
  parked: 'It waits for what it names, and is tried again.',
  needs_review: 'A person has to look at it.',
  dead: 'It could not be applied, and all tries are used up.',
  resolved: 'A person has closed it.',
  expired: 'It was dead for so long that its body was deleted.',
};

/** @param {{ deliveryId: string, onChange: () => void }} props */
export function Delivery({ deliveryId, onChange }) {
  const live = useLive(`/inbox/${encodeURIComponent(deliveryId)}`);
  const [isAsking, setAsking] = useState(false);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    heading.current?.focus();
    return () => focusLater(deliveryId);
  }, []);
  const replay = async () => {
    const replayed = await post(`/inbox/${encodeURIComponent(deliveryId)}/replay`);
    setAsking(false);
    say(becameOf(replayed));
    live.reload();
    onChange();
  };
  return html`<section class="inbox-delivery card stack" aria-labelledby="delivery">
    <div class="head">
      <h2 id="delivery" tabindex="-1" ref=${heading}>Delivery</h2>
      <a href=${hrefOf(withQuery({ delivery: null }))}>Close</a>
    </div>
    <${Loaded} live=${live}>${(/** @type {Shown} */ delivery) => html`
      <${Facts} delivery=${delivery} />
      ${
        may('operator') &&
        !delivery.body_pruned &&
        html`<div><button type="button" onClick=${() => setAsking(true)}>Replay</button></div>`
      }
      <${Understood} delivery=${delivery} />
      <${Body} delivery=${delivery} />`}
    </${Loaded}>
    ${
      isAsking &&
      html`<${Dialog} title="Replay this delivery?" onClose=${() => setAsking(false)}>
        <p>It is applied again, as if the provider had just sent it. What it changed before is not changed twice.</p>
        <${Form} action="Replay" onSend=${replay} onCancel=${() => setAsking(false)} />
      </${Dialog}>`
    }
  </section>`;
}

/**
 * The list is rendered without the delivery before the focus can go back to its line.
 * @param {string} deliveryId
 */
function focusLater(deliveryId) {
  setTimeout(() => {
    const isElsewhere = document.activeElement !== document.body;
    const link = document.querySelector(`[data-delivery="${CSS.escape(deliveryId)}"]`);
    if (!isElsewhere && link instanceof HTMLElement) link.focus();
  });
}

/** @param {{ outcome: string, state_before: string | null, state: string, why: string | null }} replayed */
function becameOf({ outcome, state_before, state, why }) {
  const name = sentence(state).toLowerCase();
  const reason = why === null ? '' : `: ${why}`;
  if (outcome === 'failed') return `It could not be applied. It is ${name}${reason}.`;
  return state === state_before
    ? `Nothing changed: it is still ${name}${reason}.`
    : `It is now ${name}${reason}.`;
}

/** @param {{ delivery: Shown }} props */
function Facts({ delivery }) {
  const { providers } = useChoices();
  const { delivery_id, event, event_id, state, why, flags, order_id } = delivery;
  return html`<p class="inbox-state"><${Status} of=${state} /> <span>${meanings[state]}</span></p>
    <dl class="inbox-facts">
      ${fact('Event', event)}
      ${fact('Why', why && capital(why))}
      ${fact('Flags', flags.map(sentence).join(', '))}
      ${fact('Order', order_id && html`<a href=${hrefOf(`/orders/${order_id}`)}><code>${order_id}</code></a>`)}
      ${fact('Provider', providers.find(({ name }) => name === delivery.provider)?.display_name)}
      ${fact('Received', html`<${Time} at=${delivery.received_at} />`)}
      ${fact('Finished', delivery.finished_at && html`<${Time} at=${delivery.finished_at} />`)}
      ${fact('Tries', delivery.tries > 0 && String(delivery.tries))}
      ${fact('Next try', delivery.next_try_at && html`<${Time} at=${delivery.next_try_at} relative />`)}
      ${fact('Event id', event_id && html`<code>${event_id}</code>`)}
      ${fact('Delivery id', html`<${Copyable} text=${delivery_id} label="the delivery id" shown=${`dlv_…${delivery_id.slice(-8)}`} />`)}
    </dl>`;
}

/**
 * @param {string} name
 * @param {import('../core/html.js').Children} value Nothing is shown without one.
 */
function fact(name, value) {
  return value && html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** @param {{ delivery: Shown }} props */
function Understood({ delivery: { understood, body_pruned } }) {
  if (body_pruned) return null;
  const { payment = null, refund = null, why } = understood ?? {};
  return html`<h3>What was understood</h3>
    ${payment && html`<${NoticeFacts} title="Payment" notice=${payment} />`}
    ${refund && html`<${NoticeFacts} title="Refund" notice=${refund} />`}
    ${!payment && !refund && html`<p>${why ? capital(why) : 'Nothing'}.</p>`}`;
}

/** @param {{ title: string, notice: Notice }} props */
function NoticeFacts({ title, notice }) {
  const { status, amount, currency, record, payment_mode, occurred_at, failure, message } = notice;
  return html`<dl class="inbox-facts">
    ${fact(title, html`<${Status} of=${status} />`)}
    ${fact('Amount', amount && currency && money(amount, currency))}
    ${fact('Record', record && sentence(record.replaceAll('-', '_')))}
    ${fact('Mode', payment_mode)}
    ${fact('At the provider', html`<code>${notice.psp_transaction_id}</code>`)}
    ${fact('Refund request', notice.refund_request_id && html`<code>${notice.refund_request_id}</code>`)}
    ${fact('Happened', occurred_at && html`<${Time} at=${occurred_at} />`)}
    ${fact('Failure', failure && sentence(failure.toLowerCase()))}
    ${fact('Message', message)}
  </dl>`;
}

/** @param {{ delivery: Shown }} props */
function Body({ delivery: { body, headers } }) {
  if (body === null) {
    return html`<h3>Body</h3><p class="quiet">It was deleted because of its age.</p>`;
  }
  return html`<h3 id="body">Body</h3>
    <p class="quiet">Personal data is masked.</p>
    <pre class="inbox-body" role="region" aria-labelledby="body" tabindex="0">${bodyText(body)}</pre>
    <details><summary>Headers</summary>
      <dl class="inbox-facts">${Object.entries(headers ?? {}).map(([name, value]) => fact(name, html`<code>${value}</code>`))}</dl>
    </details>`;
}
