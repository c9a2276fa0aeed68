/** Everything that needs a person: what has happened, what to do, and the way to close it. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.js';
import { Claim, evidenceHref } from '../components/disputes.js';
import { Form } from '../components/form.js';
import { Pager } from '../components/pager.js';
import { Empty, Loaded } from '../components/states.js';
import { Table } from '../components/table.js';
import { Time } from '../components/text.js';
import { say } from '../components/toast.js';
import { useResultCount } from '../core/announce.js';
import { post } from '../core/api.js';
import { count, reasonText, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { currentRoute, hrefOf, withCursor } from '../core/router.js';
import { may } from '../core/session.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/review.ts').itemView>} Item */

export function Page() {
  const isFirst = !currentRoute.value.query.has('after');
  const live = useLive(withCursor('/review'));
  useResultCount(live, ({ items }) => items, 'item');
  const [resolving, setResolving] = useState(/** @type {Item | undefined} */ (undefined));
  const close = () => setResolving(undefined);
  const hasResolved = useRef(false);
  const done = (/** @type {string} */ text) => {
    close();
    say(text);
    hasResolved.current = true;
    live.reload();
  };
  useEffect(() => {
    if (hasResolved.current && document.activeElement === document.body) focusNext();
    hasResolved.current = false;
  }, [live.data]);
  return html`<div class="head"><h1>Review</h1></div>
    <${Loaded} live=${live}>${(
      /** @type {{ items: Item[], open: { count: number, more: boolean }, next: string | null }} */ data,
    ) => html`
      ${data.open.count > 0 && html`<p class="quiet">${count(data.open.count)}${data.open.more && '+'} to review</p>`}
      ${
        data.items.length === 0
          ? html`<${Empty} title=${isFirst && data.next === null ? 'Nothing to review' : 'Nothing to review on this page'} />`
          : html`<${Items} items=${data.items} open=${setResolving} />`
      }
      <${Pager} next=${data.next} label="the review" toFirst="First page" toNext="Next page" />`}
    </${Loaded}>
    ${resolving && html`<${Resolve} item=${resolving} close=${close} done=${done} />`}`;
}

/** The button that had the focus has gone with its item. */
function focusNext() {
  const next = document.querySelector('.review button') ?? document.querySelector('#content');
  if (next instanceof HTMLElement) next.focus();
}

/** @param {{ items: Item[], open: (item: Item) => void }} props */
function Items({ items, open }) {
  const isOperator = may('operator');
  return html`<div class="review"><${Table} caption="Items to review" rows=${items}
    keyOf=${(/** @type {Item} */ item) => item.id}
    columns=${[
      { label: 'Reason', cell: reasonOf },
      { label: 'Advice', cell: (/** @type {Item} */ item) => adviceOf(item) },
      { label: 'About', cell: aboutOf },
      {
        label: 'Since',
        cell: (/** @type {Item} */ item) => html`<${Time} at=${item.since} relative />`,
      },
      ...(isOperator
        ? [
            {
              label: 'Action',
              cell: (/** @type {Item} */ item) =>
                // A dispute closes by itself.
                item.dispute !== null
                  ? html`<a href=${evidenceHref(item.dispute)} aria-describedby=${aboutIdOf(item)}>Evidence</a>`
                  : html`<button type="button" class="small" aria-describedby=${`${reasonIdOf(item)} ${aboutIdOf(item)}`} onClick=${() => open(item)}>Resolve</button>`,
            },
          ]
        : []),
    ]} /></div>`;
}

/** @param {Item} item */
function reasonIdOf({ id }) {
  return `reason-${id}`;
}

/** @param {Item} item */
function aboutIdOf({ id }) {
  return `about-${id}`;
}

/** @param {Item} item */
function reasonOf(item) {
  return html`<div id=${reasonIdOf(item)}>${item.reasons.map(
    (one) => html`<p key=${one.reason}>${one.sentence}</p>`,
  )}</div>
  ${item.dispute !== null && html`<${Claim} claim=${item.dispute} />`}
  <p class="quiet detail">${item.why === null ? item.reasons.map(({ reason }) => sentence(reason)).join(', ') : reasonText(item.why)}</p>`;
}

/** @param {Item} item */
function adviceOf({ reasons }) {
  return html`<div>${reasons.map(({ reason, advice }) => html`<p key=${reason}>${advice}</p>`)}</div>`;
}

/** @param {Item} item */
function aboutOf(item) {
  const { order_id, transaction_id, delivery_id } = item;
  return html`<div class="about" id=${aboutIdOf(item)}>
    ${order_id !== null && html`<a href=${hrefOf(`/orders/${order_id}`)}>${transaction_id === null ? 'Order' : 'Transaction'} <code>${transaction_id ?? order_id}</code></a>`}
    ${delivery_id !== null && html`<a href=${hrefOf(`/inbox?delivery=${delivery_id}`)}>Delivery <code>…${delivery_id.slice(-8)}</code></a>`}
  </div>`;
}

/** @param {Item} item */
function nameOf({ order_id, transaction_id, delivery_id }) {
  if (transaction_id !== null) return html`Transaction <code>${transaction_id}</code>`;
  return order_id === null
    ? html`Delivery <code>${delivery_id}</code>`
    : html`Order <code>${order_id}</code>`;
}

/** @param {{ item: Item, close: () => void, done: (text: string) => void }} props */
function Resolve({ item, close, done }) {
  const id = useId();
  const resolve = async (/** @type {FormData} */ fields) => {
    const { outcome } = await post('/review/resolve', { id: item.id, note: fields.get('note') });
    done(outcome === 'resolved' ? 'Item resolved.' : 'It had already been resolved.');
  };
  return html`<${Dialog} title="Resolve" onClose=${close}>
    <p class="quiet">${nameOf(item)}</p>
    ${item.reasons.map(
      (one) =>
        html`<div key=${one.reason}><p><strong>${one.sentence}</strong></p><p>${one.advice}</p></div>`,
    )}
    <${Form} action="Resolve" onSend=${resolve} onCancel=${close}>
      <div class="field">
        <label for=${id}>Note</label>
        <textarea id=${id} name="note" rows="3" required maxlength="1024" aria-describedby=${`${id}-hint`}></textarea>
        <p class="hint" id=${`${id}-hint`}>What was done about it. Kept in the audit log.</p>
      </div>
    </${Form}>
  </${Dialog}>`;
}
