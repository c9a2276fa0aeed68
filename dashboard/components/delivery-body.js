/** One delivery as it was received, beside what was understood of it. */
import { sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { bodyText } from '../core/json-text.js';
import { useLive } from '../core/live.js';
import { Dialog } from './dialog.js';
import { Facts } from './facts.js';
import { Loaded } from './states.js';
import { Status } from './status.js';
import { Time } from './text.js';
import { nameOf, providerOf, valueText } from './why-values.js';

/** @typedef {Record<string, unknown> & { currency?: string }} Notice */
/** @typedef {{ kind: string, why?: string, payment?: Notice | null, refund?: Notice | null, references?: object }} Understood */
/**
 * @typedef {object} Received
 * @property {{ delivery_id: string, provider: string, state: string, why: string | null, event_id: string | null, received_at: string, is_erased?: boolean }} delivery
 * @property {Record<string, string> | null} headers
 * @property {string | null} body
 * @property {Understood | null} understood
 */

/** A body does not change. */
const onceMs = 3_600_000;

/** @param {{ orderId: string, deliveryId: string, close: () => void }} props */
export function DeliveryBody({ orderId, deliveryId, close }) {
  const live = useLive(
    `/orders/${encodeURIComponent(orderId)}/deliveries/${encodeURIComponent(deliveryId)}`,
    { everyMs: onceMs },
  );
  return html`<${Dialog} title="Delivery" onClose=${close}>
    <div class="why-delivery stack">
      <${Loaded} live=${live}>${(/** @type {Received} */ received) => html`<${Content} received=${received} />`}</${Loaded}>
      <div class="buttons"><button type="button" onClick=${close}>Close</button></div>
    </div>
  </${Dialog}>`;
}

/** @param {{ received: Received }} props */
function Content({ received: { delivery, headers, body, understood } }) {
  return html`<p class="order-summary"><span>From the ${providerOf(delivery.provider)}, <${Time} at=${delivery.received_at} /></span>
      <${Status} of=${delivery.state} /><code class="quiet">${delivery.delivery_id}</code></p>
    ${delivery.why && html`<p>${sentence(delivery.why)}</p>`}
    <div class="why-bodies">
      <section><h3>What was understood</h3><${Meaning} understood=${understood} /></section>
      <section><h3>What was received</h3>
        ${
          body === null
            ? html`<p class="quiet">The body was deleted by age. What it said is kept with the transaction.</p>`
            : html`<p class="quiet">Personal data is masked.${delivery.is_erased && ' Some of it was erased.'}</p>
              <pre tabindex="0" role="group" aria-label="Body">${bodyText(body)}</pre>`
        }
        ${
          headers &&
          html`<details><summary>Headers</summary><pre tabindex="0" role="group" aria-label="Headers">${Object.entries(
            headers,
          )
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}</pre></details>`
        }
      </section>
    </div>`;
}

/** @param {{ understood: Understood | null }} props */
function Meaning({ understood }) {
  if (understood === null) return html`<p class="quiet">Nothing can be said about it any more.</p>`;
  const { kind, why, payment, refund, references } = understood;
  if (kind !== 'notice') return html`<p>${sentence(kind)}${why && `: ${why}`}.</p>`;
  return html`${payment && html`<h4>Payment</h4><${NoticeFacts} notice=${payment} />`}
    ${refund && html`<h4>Refund</h4><${NoticeFacts} notice=${refund} />`}
    ${references && html`<h4>Names its order by</h4><${NoticeFacts} notice=${references} />`}`;
}

/** @param {{ notice: Notice }} props */
function NoticeFacts({ notice }) {
  const facts = Object.entries(notice)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [nameOf(name), valueText(name, value, notice.currency ?? null)]);
  return html`<${Facts} facts=${facts} />`;
}
