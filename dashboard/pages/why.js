/** Why an order is as it is: its life on one timeline, and what set each field of its transactions. Contract 13.5. */
import { DeliveryBody } from '../components/delivery-body.js';
import { show } from '../components/fold.js';
import { Provenance } from '../components/provenance.js';
import { Loaded } from '../components/states.js';
import { Time } from '../components/text.js';
import { Timeline } from '../components/timeline.js';
import { say } from '../components/toast.js';
import { anchorEntries, shortId } from '../components/why-values.js';
import { useTitle } from '../core/announce.js';
import { count, money } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { base, currentRoute, hrefOf, navigate, withQuery } from '../core/router.js';

/** @typedef {import('../components/provenance.js').ExplainedTransaction} ExplainedTransaction */
/**
 * @typedef {object} Explanation
 * @property {{ order_id: string, invoice_id: string, status: string, currency: string, total_amount: string }} order
 * @property {string} explained_at
 * @property {{ entries: import('../components/why-values.js').Entry[], older_up_to: string | null, pruned: boolean }} timeline
 * @property {Record<string, string>} rules
 * @property {ExplainedTransaction[]} transactions
 * @property {number} transactions_total
 * @property {string | null} next
 * @property {{ delivery_id: string | null, reason: string }[]} held
 */

/** It is read for minutes, and costs more than other pages. */
const refreshMs = 15_000;
/** Of more transactions, only the one that matters most is open at first. */
const openMax = 2;

/** @param {{ params: Record<string, string> }} props */
export function Page({ params: { order_id: orderId = '' } }) {
  const { query } = currentRoute.value;
  const path = `/orders/${encodeURIComponent(orderId)}`;
  const asked = pageQuery(query);
  const live = useLive(`${path}/why${asked}`, { everyMs: refreshMs });
  const opened = query.get('delivery');
  return html`<p class="order-trail"><a href=${hrefOf('/orders')}>Orders</a> / <a href=${hrefOf(path)}>Order</a></p>
    <${Loaded} live=${live} lines=${12} isPage>${(/** @type {Explanation} */ explanation) => html`
      <${Head} explanation=${explanation} textUrl=${`${base}/api${path}/why.txt${asked}`} />
      <${Content} explanation=${explanation} />`}
    </${Loaded}>
    ${opened !== null && html`<${DeliveryBody} key=${opened} orderId=${orderId} deliveryId=${opened} close=${() => navigate(withQuery({ delivery: null }))} />`}`;
}

/** @param {URLSearchParams} query */
function pageQuery(query) {
  const asked = new URLSearchParams();
  for (const name of ['up_to', 'after']) {
    const value = query.get(name);
    if (value !== null) asked.set(name, value);
  }
  const text = asked.toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * "Why has order X lapsed?", but "Why is order X completed?": only `lapsed` is a verb.
 * @param {Explanation['order']} order
 */
function questionOf({ invoice_id, status }) {
  return status === 'lapsed'
    ? `Why has order ${invoice_id} lapsed?`
    : `Why is order ${invoice_id} ${status}?`;
}

/** @param {{ explanation: Explanation, textUrl: string }} props */
function Head({ explanation: { order, explained_at }, textUrl }) {
  useTitle(`Why ${order.invoice_id}`);
  return html`<div class="head">
      <h1 class="order-title">${questionOf(order)}</h1>
      <button type="button" onClick=${() => copyText(textUrl)}>Copy as text</button>
    </div>
    <p class="order-under-head quiet"><span>${money(order.total_amount, order.currency)}</span>
      <span>Derived from the history and the deliveries, as of <${Time} at=${explained_at} /></span>
      <button type="button" class="link why-jump" onClick=${() => show('fields')}>What set each field</button></p>`;
}

/** @param {string} url */
async function copyText(url) {
  const text = fetch(url).then(async (reply) => {
    if (!reply.ok) throw new Error(`The service answered ${reply.status}.`);
    return reply.text();
  });
  try {
    // The clipboard waits for the text, so that the click still counts as the reason.
    const blob = text.then((words) => new Blob([words], { type: 'text/plain' }));
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    say('Explanation copied, with personal data masked.');
  } catch {
    say('The explanation could not be copied. Please try again.');
  }
}

/** @param {{ explanation: Explanation }} props */
function Content({ explanation }) {
  const { timeline, transactions, transactions_total: total, held, next } = explanation;
  const anchored = anchorEntries(timeline.entries);
  const main = findMain(transactions);
  const isPast = currentRoute.value.query.has('up_to');
  const nameTransaction = (/** @type {string} */ id) => {
    const known = transactions.find(({ transaction_id }) => transaction_id === id);
    const ofType = transactions.filter(({ type }) => type === known?.type);
    const name = known?.type ?? 'transaction';
    return known && ofType.length === 1 && total === transactions.length
      ? name
      : `${name} ${shortId(id)}`;
  };
  const nameProvider = (/** @type {string | null | undefined} */ id) =>
    transactions.find(({ transaction_id }) => transaction_id === id)?.provider_name ??
    'the provider';
  return html`<div class="why-columns">
    <section class="stack" aria-labelledby="timeline"><h2 id="timeline">What happened</h2>
      ${timeline.pruned && html`<p class="quiet">The oldest part of the history was deleted after the retention period.</p>`}
      ${timeline.older_up_to !== null && html`<p><a href=${hrefOf(withQuery({ up_to: timeline.older_up_to, entry: null }))}>Older entries</a></p>`}
      <div class="card"><${Timeline} timeline=${anchored} nameTransaction=${nameTransaction} nameProvider=${nameProvider} /></div>
      ${isPast && html`<p><a href=${hrefOf(withQuery({ up_to: null, entry: null }))}>Newest entries</a></p>`}
      ${held.map(
        ({ delivery_id, reason }) => html`<p class="order-flag" key=${delivery_id}>
          ${delivery_id === null ? 'A delivery' : html`<a href=${hrefOf(withQuery({ delivery: delivery_id }))}>Delivery ${shortId(delivery_id)}</a>`} is applied to no transaction: ${reason}</p>`,
      )}
    </section>
    <section class="stack why-fields" aria-labelledby="fields"><h2 id="fields" tabindex="-1">What set each field</h2>
      ${transactions.length === 0 && html`<p class="quiet">The order has no payments yet.</p>`}
      <ul class="stack">${transactions.map(
        (
          transaction,
        ) => html`<${Provenance} key=${transaction.transaction_id} transaction=${transaction} timeline=${anchored} rules=${explanation.rules}
          isOpen=${transactions.length <= openMax || transaction === main} />`,
      )}</ul>
      ${total > transactions.length && html`<p class="quiet">${count(transactions.length)} of ${count(total)} payments and refunds.</p>`}
      ${
        (next !== null || currentRoute.value.query.has('after')) &&
        html`<nav class="pager" aria-label="Pages of the transactions">
        ${currentRoute.value.query.has('after') && html`<a href=${hrefOf(withQuery({ after: null }))}>First</a>`}
        ${next !== null && html`<a href=${hrefOf(withQuery({ after: next }))}>Next</a>`}</nav>`
      }
    </section>
  </div>`;
}

/**
 * The payment that counts, or the newest transaction.
 * @param {ExplainedTransaction[]} transactions
 */
function findMain(transactions) {
  const counts = ['succeeded', 'authorized', 'reversing', 'reversed'];
  const paid = transactions.find(
    ({ type, status }) => type === 'payment' && counts.includes(status),
  );
  return paid ?? transactions.at(-1);
}
