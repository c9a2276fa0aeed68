/** Everything about one dispute on one page, to print or to send: what the form of the provider asks for. */
import { Deadline } from '../components/deadline.js';
import { adviceOf, claimOf, reasonOf } from '../components/disputes.js';
import { Facts } from '../components/facts.js';
import { Loaded } from '../components/states.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { nameOf } from '../components/why-values.js';
import { useTitle } from '../core/announce.js';
import { money, moneyOf, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { base, hrefOf } from '../core/router.js';

/** @typedef {import('../../src/http/dashboard/evidence-view.ts').EvidenceView} Evidence */
/** @typedef {Evidence['order']} Order */
/** @typedef {NonNullable<Evidence['payment']>} Payment */

/** It is read for minutes, and costs more than other pages. */
const refreshMs = 60_000;

/** @param {{ params: Record<string, string> }} props */
export function Page({ params: { dispute_id: disputeId = '' } }) {
  const path = `/disputes/${encodeURIComponent(disputeId)}`;
  const live = useLive(path, { everyMs: refreshMs });
  return html`<p class="order-trail"><a href=${hrefOf('/disputes')}>Disputes</a></p>
    <${Loaded} live=${live} lines=${12} isPage>${(/** @type {Evidence} */ evidence) =>
      html`<${Content} evidence=${evidence} textUrl=${`${base}/api${path}/evidence.txt`} />`}
    </${Loaded}>`;
}

/** @param {{ evidence: Evidence, textUrl: string }} props */
function Content({ evidence, textUrl }) {
  const { dispute, order, payment, shop, made_at } = evidence;
  useTitle(`Evidence ${order.invoice_id}`);
  return html`<article class="evidence stack">
    <div class="head"><h1>Evidence: order ${order.invoice_id}</h1>
      <div class="buttons">
        <a class="order-button" href=${hrefOf(`/orders/${order.order_id}`)}>Order</a>
        <a class="order-button" href=${textUrl} download="evidence.txt">Download as text</a>
        <button type="button" class="primary" onClick=${() => print()}>Print</button>
      </div></div>
    <p class="order-under-head quiet"><span>${shop}</span><span>As of <${Time} at=${made_at} /></span></p>
    <section class="card stack" aria-labelledby="dispute"><h2 id="dispute">Dispute <${Status} of=${dispute.status} /></h2>
      <p class="advice">${adviceOf(dispute)}</p>
      <${Facts} kind="wide" facts=${[
        ['Claimed', claimOf(dispute)],
        ['Reason', reasonOf(dispute)],
        ['Reason code', dispute.reason_code && html`<code>${dispute.reason_code}</code>`],
        ['Phase', dispute.phase && sentence(dispute.phase)],
        ['Dispute ID', html`<code>${dispute.dispute_id}</code>`],
        ['Opened', dispute.created_at && html`<${Time} at=${dispute.created_at} />`],
        ['Answer until', dispute.waits_for_shop && html`<${Deadline} at=${dispute.respond_by} />`],
      ]} />
    </section>
    <div class="columns">
      <${OrderPart} order=${order} />
      <${Consumer} order=${order} />
    </div>
    ${payment && html`<${PaymentPart} payment=${payment} />`}
    <${Happened} evidence=${evidence} />
    <${Events} events=${evidence.events} />
  </article>`;
}

/** @param {{ order: Order }} props */
function OrderPart({ order }) {
  const { currency, items } = order;
  const amount = (/** @type {string | null} */ text) =>
    text !== null && /^\d+(\.\d+)?$/.test(text) ? money(text, currency) : text;
  return html`<section class="card stack" aria-labelledby="order"><h2 id="order">Order</h2>
    <${Facts} facts=${[
      ['Invoice', order.invoice_id],
      ['Order ID', html`<code>${order.order_id}</code>`],
      ['Created', html`<${Time} at=${order.created_at} />`],
      ['Total', money(order.total_amount, currency)],
      ['Tax', money(order.tax, currency)],
      ['Description', order.description],
      ['Shop', order.shop],
      ...order.custom_attributes.map(({ key, value }) => [key, value]),
    ]} />
    ${
      items.length > 0 &&
      html`<h3>Items</h3><ul class="evidence-items">${items.map(
        (item, index) => html`<li key=${index}>
          <span>${item.quantity !== null && `${item.quantity} × `}${item.title}${item.sku_id !== null && html` <code class="quiet">${item.sku_id}</code>`}</span>
          <span class="money">${amount(item.total_amount)}</span></li>`,
      )}</ul>`
    }
  </section>`;
}

/** @param {{ order: Order }} props */
function Consumer({ order: { user, ...order } }) {
  const lines = (/** @type {readonly string[]} */ text) =>
    text.length > 0 && text.map((line) => html`<span class="order-line">${line}</span>`);
  return html`<section class="card stack" aria-labelledby="consumer"><h2 id="consumer">Consumer</h2>
    ${user === null && html`<p class="quiet">Not known.</p>`}
    <${Facts} facts=${[
      ['Name', user?.name],
      ['Email', user?.email],
      ['Phone', user?.phone],
      ['Shipping', lines(order.shipping_address)],
      ['Billing', lines(order.billing_address)],
      ['IP address', order.ip_address],
    ]} />
  </section>`;
}

/** @param {{ payment: Payment }} props */
function PaymentPart({ payment }) {
  const { currency, refunds } = payment;
  return html`<section class="card stack" aria-labelledby="payment"><h2 id="payment">Disputed payment <${Status} of=${payment.payment_status} /></h2>
    <${Facts} kind="wide" facts=${[
      ['Amount', moneyOf(payment.amount, currency)],
      ['Bank reference', payment.arn && html`<code>${payment.arn}</code>`],
      ['Provider', payment.provider_name],
      [
        'Provider ID',
        payment.psp_transaction_id && html`<code>${payment.psp_transaction_id}</code>`,
      ],
      ['Mode', payment.payment_mode],
      ...Object.entries(payment.mode_details ?? {}).map(([name, value]) => [nameOf(name), value]),
      ['Acquirer', payment.acquirer],
      ['Transaction', html`<code>${payment.transaction_id}</code>`],
      ['Started', payment.started_at && html`<${Time} at=${payment.started_at} />`],
      ['Finished', payment.finished_at && html`<${Time} at=${payment.finished_at} />`],
    ]} />
    <h3>Refunds</h3>
    ${
      refunds.length === 0
        ? html`<p class="quiet">None.</p>`
        : html`<ul class="evidence-items">${refunds.map(
            (refund) => html`<li key=${refund.transaction_id}>
              <span>${moneyOf(refund.amount, refund.currency)} <${Status} of=${refund.refund_status} /> <${Time} at=${refund.started_at} /></span>
              ${refund.arn !== null && html`<span>Bank reference <code>${refund.arn}</code></span>`}</li>`,
          )}</ul>`
    }
  </section>`;
}

/** @param {{ evidence: Evidence }} props */
function Happened({ evidence: { timeline, cut } }) {
  return html`<section class="card stack" aria-labelledby="happened"><h2 id="happened">What happened</h2>
    ${cut && html`<p class="quiet">Earlier entries are not listed.</p>`}
    <ol class="evidence-steps">${timeline.map(
      ({ at, text }, index) =>
        html`<li key=${index}><${Time} at=${at} /> <span>${text}</span></li>`,
    )}</ol>
  </section>`;
}

/** @param {{ events: Evidence['events'] }} props */
function Events({ events }) {
  return html`<section class="stack" aria-labelledby="events"><h2 id="events">Events sent to the shop</h2>
    ${
      events.length === 0
        ? html`<p class="quiet">None.</p>`
        : html`<${Table} caption="Events sent to the shop" rows=${events}
            keyOf=${(/** @type {{ event_id: string }} */ one) => one.event_id} columns=${eventColumns} />`
    }
  </section>`;
}

/** @type {import('../components/table.js').Column<Evidence['events'][number]>[]} */
const eventColumns = [
  {
    label: 'Event',
    cell: ({ event_id, event_type }) =>
      html`<a href=${hrefOf(`/webhooks/${event_id}`)}>${sentence(event_type)}</a>`,
  },
  { label: 'Event ID', cell: ({ event_id }) => html`<code>${event_id}</code>` },
  { label: 'Occurred', cell: ({ at }) => html`<${Time} at=${at} />` },
  {
    label: 'Delivered',
    cell: ({ taken_at }) =>
      taken_at === null ? 'Not delivered' : html`<${Time} at=${taken_at} />`,
  },
];
