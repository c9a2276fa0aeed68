/** One delivery as it was received, beside what was understood of it, in front of the page of its order. */
import { reasonText } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { ReceivedBody, Understood } from './delivery-content.js';
import { Dialog } from './dialog.js';
import { Loaded } from './states.js';
import { Status } from './status.js';
import { Time } from './text.js';

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
      <${Loaded} live=${live}>${(
        /** @type {import('./delivery-content.js').Received} */ delivery,
      ) => html`
        <p class="order-summary"><span>From ${delivery.provider_name}, <${Time} at=${delivery.received_at} /></span>
          <${Status} of=${delivery.state} /><code class="quiet">${delivery.delivery_id}</code></p>
        ${delivery.why && html`<p>${reasonText(delivery.why)}.</p>`}
        <div class="why-bodies">
          <section><h3>What was understood</h3><${Understood} delivery=${delivery} /></section>
          <section><h3>What was received</h3><${ReceivedBody} delivery=${delivery} /></section>
        </div>`}
      </${Loaded}>
      <div class="buttons"><button type="button" onClick=${close}>Close</button></div>
    </div>
  </${Dialog}>`;
}
