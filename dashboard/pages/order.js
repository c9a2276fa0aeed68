/** One order: its amounts, payments and refunds, items and consumer. Operators refund and cancel links from here. */
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.js';
import { DisputeBanner } from '../components/disputes.js';
import { Facts } from '../components/facts.js';
import { Flags } from '../components/flags.js';
import { Form } from '../components/form.js';
import { OperationDialog } from '../components/operation-dialog.js';
import { Pager } from '../components/pager.js';
import { PaymentCard, Refunds } from '../components/payment-card.js';
import { RefundDialog, RefundProgress } from '../components/refund-dialog.js';
import { Empty, Loaded } from '../components/states.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { Copyable, Time } from '../components/text.js';
import { say } from '../components/toast.js';
import { useTitle } from '../core/announce.js';
import { call } from '../core/api.js';
import { count, isPositive, money, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { currentRoute, hrefOf, navigate, withCursor, withQuery } from '../core/router.js';
import { may, session } from '../core/session.js';

/** @typedef {import('../components/payment-card.js').Payment} Payment */
/** @typedef {import('../components/payment-card.js').Refund} Refund */
/** @typedef {ReturnType<typeof import('../../src/http/dashboard/order-page.ts').orderPageView>} OrderPage */
/** @typedef {OrderPage['order']} Order */
/** @typedef {Order['items'][number]} Item */
/** @typedef {{ kind: 'capture' | 'void', payment: Payment }} Operation */

const refreshMs = 5_000;
/** While a refund is on its way. */
const soonMs = 2_000;

/** @param {{ params: Record<string, string> }} props */
export function Page({ params: { order_id: orderId = '' } }) {
  const [everyMs, setEveryMs] = useState(refreshMs);
  const live = useLive(withCursor(`/orders/${encodeURIComponent(orderId)}`), { everyMs });
  const { payments = [] } = /** @type {Partial<OrderPage>} */ (live.data ?? {});
  const isPending = payments.some(({ refunds }) => refunds.some(isOnItsWay));
  useEffect(() => setEveryMs(isPending ? soonMs : refreshMs), [isPending]);
  return html`<p class="order-trail"><a href=${hrefOf('/orders')}>Orders</a></p>
    <${Loaded} live=${live} lines=${12} isPage>${(/** @type {OrderPage} */ page) =>
      html`<${Content} page=${page} reload=${live.reload} />`}
    </${Loaded}>`;
}

/** @param {Refund} refund */
function isOnItsWay({ refund_status }) {
  return refund_status === 'pending' || refund_status === 'new';
}

/** @param {{ page: OrderPage, reload: () => void }} props */
function Content({ page, reload }) {
  const { order, payments, disputes, other_refunds } = page;
  useTitle(`Order ${order.invoice_id}`);
  const [dialog, setDialog] = useState(/** @type {Payment[] | undefined} */ (undefined));
  const [isCancelling, setCancelling] = useState(false);
  const [operation, setOperation] = useState(/** @type {Operation | undefined} */ (undefined));
  const refundable = payments.filter(({ available_amount }) => isPositive(available_amount));
  const watched = currentRoute.value.query.get('refund');
  const refunds = payments.flatMap((payment) => payment.refunds);
  const done = (/** @type {string} */ refundId, /** @type {string} */ words) => {
    setDialog(undefined);
    say(`Refund of ${words} requested.`);
    navigate(withQuery({ refund: refundId }), { replace: true });
    reload();
  };
  const operated = (/** @type {string} */ message) => {
    setOperation(undefined);
    say(message);
    reload();
  };
  return html`<${Head} order=${order} payments=${payments} refundable=${refundable} open=${() => setDialog(refundable)} cancel=${() => setCancelling(true)} />
    <${DisputeBanner} disputes=${disputes} />
    <${RefundProgress} refund=${refunds.find(({ transaction_id }) => transaction_id === watched)} />
    <${Flags} flags=${order.flags} />
    <${Amounts} order=${order} />
    <div class="order-columns">
      <div class="stack">
        <section class="stack" aria-labelledby="payments"><h2 id="payments">Payments</h2>
          ${payments.length === 0 && html`<${Empty} title="No payment attempts yet" />`}
          <ul class="stack">${payments.map(
            (payment, index) =>
              html`<${PaymentCard} key=${payment.transaction_id} payment=${payment} isOpen=${index === 0}
                operate=${(/** @type {'capture' | 'void'} */ kind) => setOperation({ kind, payment })}
                disputes=${disputes.filter(({ transaction_id }) => transaction_id === payment.transaction_id)} />`,
          )}</ul>
          ${page.payments_total > payments.length && html`<p class="quiet">${count(payments.length)} of ${count(page.payments_total)} payments.</p>`}
          <${Pager} next=${page.next} label="the payments" />
        </section>
        ${other_refunds.length > 0 && html`<section class="stack"><h2>Refunds of unknown payments</h2><div class="card"><${Refunds} refunds=${other_refunds} /></div></section>`}
        <${Items} order=${order} />
      </div>
      <${Aside} order=${order} />
    </div>
    ${isCancelling && html`<${CancelLink} order=${order} close=${() => setCancelling(false)} reload=${reload} />`}
    ${operation && html`<${OperationDialog} kind=${operation.kind} orderId=${order.order_id} payment=${operation.payment} close=${() => setOperation(undefined)} done=${operated} />`}
    ${dialog && html`<${RefundDialog} orderId=${order.order_id} payments=${dialog} close=${() => setDialog(undefined)} done=${done} />`}`;
}

/** @param {{ order: Order, close: () => void, reload: () => void }} props */
function CancelLink({ order, close, reload }) {
  const cancel = async () => {
    await call('POST', `/orders/${encodeURIComponent(order.order_id)}/payment-link/cancel`);
    close();
    say('Payment link cancelled.');
    reload();
  };
  return html`<${Dialog} title="Cancel this payment link?" onClose=${close}>
    <p>The order lapses and nobody can start to pay it any more. A payment that is already on its way still counts if it succeeds.</p>
    <${Form} action="Cancel link" isDangerous onSend=${cancel} onCancel=${close} dismiss="Keep link" />
  </${Dialog}>`;
}

/** @param {{ order: Order, payments: Payment[], refundable: Payment[], open: () => void, cancel: () => void }} props */
function Head({ order, payments, refundable, open, cancel }) {
  const { order_id, invoice_id, status, payment_link_status: link } = order;
  const refusal = session.value?.account?.suspended
    ? 'Nothing can be refunded while the account is suspended.'
    : refundable.length === 0 && refusalOf(payments);
  return html`<div class="head">
      <h1 class="order-title">Order ${invoice_id} <${Status} of=${status} /></h1>
      <div class="buttons">
        <a class="order-button" href=${hrefOf(`/orders/${encodeURIComponent(order_id)}/why`)}>Why</a>
        ${may('operator') && (link === 'created' || link === 'opened') && html`<button type="button" onClick=${cancel}>Cancel link</button>`}
        ${may('operator') && html`<button type="button" class="primary" aria-disabled=${Boolean(refusal)} aria-describedby=${refusal ? 'refusal' : undefined} onClick=${refusal ? () => say(refusal) : open}>Refund</button>`}
      </div>
    </div>
    <div class="order-under-head quiet">
      <${Copyable} text=${order_id} label="order ID" />
      <span>Created <${Time} at=${order.created_at} /></span>
      ${(status === 'new' || status === 'pending') && html`<span>Lapses <${Time} at=${order.lapses_at} relative /></span>`}
      ${may('operator') && refusal && html`<span id="refusal">${refusal}</span>`}
    </div>`;
}

/** @param {Payment[]} payments */
function refusalOf(payments) {
  const paid = payments.some(({ payment_status }) => payment_status === 'succeeded');
  if (!paid) return 'Nothing can be refunded: no payment has succeeded.';
  if (payments.some(({ disputed_amount }) => isPositive(disputed_amount))) {
    return 'Nothing can be refunded: a dispute claims the rest, and a refund would lose it twice.';
  }
  return payments.some(({ refunds }) => refunds.some(isOnItsWay))
    ? 'Nothing is left to refund: everything is refunded, or a refund is on its way.'
    : 'Nothing is left to refund.';
}

/** @param {{ order: Order }} props */
function Amounts({ order }) {
  const { currency } = order;
  const isPending = isPositive(order.refund_pending_amount);
  const isDisputed = isPositive(order.disputed_amount);
  const parts = `${money(order.amount_before_tax, currency)} plus ${money(order.tax, currency)} tax`;
  const figures = [
    { name: 'Total', amount: order.total_amount, more: parts },
    { name: 'Paid', amount: order.paid_amount },
    { name: 'Refunded', amount: order.refunded_amount },
    ...(isPending ? [{ name: 'Refunds pending', amount: order.refund_pending_amount }] : []),
    ...(isDisputed ? [{ name: 'Disputed', amount: order.disputed_amount }] : []),
    {
      name: 'Refundable',
      amount: order.available_amount,
      more: isDisputed && 'without what disputes claim',
    },
  ];
  return html`<dl class="card order-amounts">${figures.map(
    ({ name, amount, more }) => html`<div key=${name}><dt>${name}</dt>
      <dd>${money(amount, currency)}${more && html`<span class="quiet">${more}</span>`}</dd></div>`,
  )}</dl>`;
}

/** @param {{ order: Order }} props */
function Items({ order }) {
  const { items, currency } = order;
  if (items.length === 0) return null;
  const amount = (/** @type {string | null} */ text) =>
    text !== null && /^\d+(\.\d+)?$/.test(text) ? money(text, currency) : text;
  const has = (/** @type {'rate' | 'tax'} */ name) => items.some((item) => item[name] !== null);
  return html`<section class="stack" aria-labelledby="items"><h2 id="items">Items</h2>
    <${Table} caption="Items" rows=${items} keyOf=${(/** @type {Item} */ _item, /** @type {number} */ index) => String(index)}
      columns=${[
        {
          label: 'Item',
          cell: (/** @type {Item} */ item) =>
            html`${item.title}<span class="quiet order-line">${[item.sku_id, item.description].filter(Boolean).join(', ')}</span>`,
        },
        { label: 'Quantity', isNumber: true, cell: (/** @type {Item} */ item) => item.quantity },
        ...(has('rate')
          ? [
              {
                label: 'Price',
                isNumber: true,
                cell: (/** @type {Item} */ item) => amount(item.rate),
              },
            ]
          : []),
        ...(has('tax')
          ? [{ label: 'Tax', isNumber: true, cell: (/** @type {Item} */ item) => amount(item.tax) }]
          : []),
        {
          label: 'Total',
          isNumber: true,
          cell: (/** @type {Item} */ item) => amount(item.total_amount),
        },
      ]} />
  </section>`;
}

/** @param {{ order: Order }} props */
function Aside({ order }) {
  const { user, conversion, checkout } = order;
  const lines = (/** @type {readonly string[]} */ text) =>
    text.length === 0 ? null : text.map((line) => html`<span class="order-line">${line}</span>`);
  return html`<div class="stack">
    <section class="card stack" aria-labelledby="consumer"><h2 id="consumer">Consumer</h2>
      ${user === null ? html`<p class="quiet">Not known.</p>` : null}
      <${Facts} facts=${[
        ['Name', user?.name],
        ['Email', user?.email],
        ['Phone', user?.phone],
        ['Consumer ID', user?.user_id && html`<code>${user.user_id}</code>`],
        [
          'Pays from',
          order.bank_account !== null &&
            (order.bank_account === ''
              ? 'A bank account'
              : `Bank account ending in ${order.bank_account}`),
        ],
        ['Restricted', user?.restricted && 'Only this consumer can pay'],
        ['Shipping', lines(order.shipping_address)],
        ['Billing', lines(order.billing_address)],
        ['IP address', order.ip_address],
      ]} />
    </section>
    <section class="card stack" aria-labelledby="details"><h2 id="details">Details</h2>
      <${Facts} facts=${[
        ['Description', order.description],
        ['Attempts', count(order.attempts)],
        [
          'Original amount',
          conversion &&
            `${money(conversion.total_amount, conversion.currency)} at ${conversion.rate}`,
        ],
        ['Checkout opened', checkout ? html`<${Time} at=${checkout.opened_at} />` : 'Not yet'],
        ['Mode chosen', checkout?.chosen_at && html`<${Time} at=${checkout.chosen_at} />`],
        ['Payment link', order.payment_link_status && sentence(order.payment_link_status)],
        ['Lapses', html`<${Time} at=${order.lapses_at} />`],
        ['Callback', order.callback_url && html`<code>${order.callback_url}</code>`],
        ['Callback mode', order.callback_mode && sentence(order.callback_mode)],
        ['Shop', order.shop],
        ['Platform', order.platform],
        ...order.custom_attributes.map(({ key, value }) => [key, value]),
      ]} />
    </section>
  </div>`;
}
