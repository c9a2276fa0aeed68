/** One delivery beside the list: what became of it, its content, and the way to replay it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { post } from '../core/api.js';
import { reasonText, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { hrefOf, withQuery } from '../core/router.js';
import { may } from '../core/session.js';
import { ReceivedBody, Understood } from './delivery-content.js';
import { Dialog } from './dialog.js';
import { Facts } from './facts.js';
import { Form } from './form.js';
import { Loaded } from './states.js';
import { Status } from './status.js';
import { Copyable, Time } from './text.js';
import { say } from './toast.js';

/** @typedef {import('./delivery-content.js').Received} Received */

/** @type {Record<string, string>} */
const meanings = {
  received: 'Stored. It will be applied.',
  processed: 'Applied to its order.',
  stale: 'It changed nothing: what is known ranks higher.',
  ignored: 'Understood. There is nothing to do about it.',
  parked: 'It names an order or payment that is not known yet, and is retried.',
  needs_review: 'A person has to look at it.',
  dead: 'It could not be applied, and there are no retries left.',
  resolved: 'Closed by a person.',
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
    <${Loaded} live=${live}>${(/** @type {Received} */ delivery) => html`
      <${State} delivery=${delivery} />
      ${
        may('operator') &&
        !delivery.body_pruned &&
        html`<div><button type="button" onClick=${() => setAsking(true)}>Replay</button></div>`
      }
      <h3>What was understood</h3><${Understood} delivery=${delivery} />
      <h3>What was received</h3><${ReceivedBody} delivery=${delivery} />`}
    </${Loaded}>
    ${
      isAsking &&
      html`<${Dialog} title="Replay this delivery?" onClose=${() => setAsking(false)}>
        <p>It is applied again, as if the provider had just sent it. What it has changed already is not changed twice.</p>
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
  const reason = why === null ? '' : `. ${reasonText(why)}`;
  if (outcome === 'failed') return `The delivery could not be applied. It is ${name}${reason}.`;
  return state === state_before
    ? `Nothing changed. The delivery is still ${name}${reason}.`
    : `The delivery is now ${name}${reason}.`;
}

/** @param {{ delivery: Received }} props */
function State({ delivery }) {
  const { delivery_id, event, event_id, state, why, flags, order_id } = delivery;
  return html`<p class="inbox-state"><${Status} of=${state} /> <span>${meanings[state]}</span></p>
    <${Facts} facts=${[
      ['Event', event],
      // Flags are listed below.
      ['Why', why && !why.startsWith('flagged ') && reasonText(why)],
      ['Flags', flags.map(sentence).join(', ')],
      [
        'Order',
        order_id && html`<a href=${hrefOf(`/orders/${order_id}`)}><code>${order_id}</code></a>`,
      ],
      ['Provider', delivery.provider_name],
      ['Received', html`<${Time} at=${delivery.received_at} />`],
      ['Finished', delivery.finished_at && html`<${Time} at=${delivery.finished_at} />`],
      ['Retries', delivery.tries > 0 && String(delivery.tries)],
      ['Next retry', delivery.next_try_at && html`<${Time} at=${delivery.next_try_at} relative />`],
      ['Event ID', event_id && html`<code>${event_id}</code>`],
      [
        'Delivery ID',
        html`<${Copyable} text=${delivery_id} label="delivery ID" short=${`dlv_…${delivery_id.slice(-8)}`} />`,
      ],
    ]} />`;
}
