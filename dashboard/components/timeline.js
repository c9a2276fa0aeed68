/** The life of an order, oldest first: what happened, what it changed, and the deliveries behind it. */
import { useEffect } from 'preact/hooks';
import {
  count,
  counted,
  date,
  exactTime,
  money,
  reasonText,
  sentence,
  shortUrl,
} from '../core/format.js';
import { html } from '../core/html.js';
import { currentRoute, hrefOf, withQuery } from '../core/router.js';
import { Fold, show } from './fold.js';
import { Status } from './status.js';
import { nameOf, shortText } from './why-values.js';

/** @typedef {import('./why-values.js').Anchored} Anchored */
/** @typedef {import('./why-values.js').Entry} Entry */
/** @typedef {import('./why-values.js').Effect} Effect */
/** @typedef {(transactionId: string) => string} NameTransaction */
/** @typedef {(transactionId: string | null | undefined) => string} NameProvider */

/** A row of this many entries without effect is folded. */
const foldedFrom = 4;
/** Changes that are shown of one effect; the others are folded. */
const changesShown = 3;

/** @param {{ timeline: Anchored[], nameTransaction: NameTransaction, nameProvider: NameProvider }} props */
export function Timeline({ timeline, nameTransaction, nameProvider }) {
  const wanted = currentRoute.value.query.get('entry');
  const isThere = timeline.some(({ anchor }) => anchor === wanted);
  useEffect(() => {
    if (wanted !== null && isThere) show(`entry-${wanted}`);
  }, [wanted, isThere]);
  let day = '';
  return html`<ol class="why-timeline">${groupEntries(timeline).map((group) => {
    const first = group[0];
    if (!first) return null;
    const ownDay = date(first.entry.at);
    const heading = ownDay !== day && html`<li class="day" key=${`day ${ownDay}`}>${ownDay}</li>`;
    day = ownDay;
    const row = (/** @type {Anchored} */ one) =>
      html`<${Row} key=${one.anchor} ...${one} isWanted=${one.anchor === wanted} nameTransaction=${nameTransaction} nameProvider=${nameProvider} />`;
    if (group.length < foldedFrom) return [heading, ...group.map(row)];
    return [
      heading,
      html`<li class="why-folded" key=${`from ${first.anchor}`}>
        <${Fold} summary=${foldedText(group)} isOpen=${group.some(({ anchor }) => anchor === wanted)}>
          ${() => html`<ol class="why-timeline">${group.map(row)}</ol>`}
        </${Fold}></li>`,
    ];
  })}</ol>`;
}

/**
 * Entries that changed something stand alone; rows of others, of one day, are one group.
 * @param {Anchored[]} timeline
 */
function groupEntries(timeline) {
  /** @type {Anchored[][]} */
  const groups = [];
  let isQuiet = false;
  for (const one of timeline) {
    const wasQuiet = isQuiet;
    isQuiet = changesNothing(one.entry);
    const last = groups.at(-1);
    const isSameDay = last?.[0] && date(last[0].entry.at) === date(one.entry.at);
    if (last && isQuiet && wasQuiet && isSameDay) last.push(one);
    else groups.push([one]);
  }
  return groups.flatMap((group) =>
    group.length < foldedFrom ? group.map((one) => [one]) : [group],
  );
}

const quietKinds = [
  'delivery-received',
  'provider-polled',
  'event-announced',
  'event-attempted',
  'time-passed',
];

/** @param {Entry} entry */
function changesNothing({ kind, effects = [], delivery }) {
  return quietKinds.includes(kind) && effects.length === 0 && !isApplied(delivery?.state);
}

/**
 * A delivery that was applied may have changed something in an entry of its own, also on another page.
 * @param {string | undefined} state
 */
function isApplied(state) {
  return state === 'processed' || state === 'needs_review' || state === 'resolved';
}

/** @param {import('./why-values.js').Delivery} delivery */
function effectWords({ state, tries }) {
  if (isApplied(state)) return tries > 0 ? 'It was applied later.' : '';
  return 'It changed nothing.';
}

/** @param {Anchored[]} group */
function foldedText(group) {
  /** @type {Record<string, [one: string, several: string]>} */
  const words = {
    'delivery-received': ['delivery', 'deliveries'],
    'provider-polled': ['poll', 'polls'],
    'event-announced': ['event', 'events'],
    'event-attempted': ['attempt to send an event', 'attempts to send events'],
  };
  const kinds = Map.groupBy(group, ({ entry }) => entry.kind);
  const parts = [...kinds].map(([kind, entries]) =>
    counted(entries.length, ...(words[kind] ?? ['other', 'others'])),
  );
  return `${parts.join(', ')} that changed nothing`;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** @param {Anchored & { isWanted: boolean, nameTransaction: NameTransaction, nameProvider: NameProvider }} props */
function Row({ anchor, entry, isWanted, nameTransaction, nameProvider }) {
  const { at, effects = [], delivery } = entry;
  const opened = delivery?.delivery_id ?? entry.delivery_id;
  return html`<li id=${`entry-${anchor}`} tabindex="-1" class=${`why-entry ${toneOf(entry)}${isWanted ? ' wanted' : ''}`}>
    <time datetime=${at} title=${exactTime(at)}>${clock.format(new Date(at))}</time>
    <div class="why-what">
      <p class="title">${titleOf(entry, nameTransaction, nameProvider)}
        ${delivery && html` <${Status} of=${delivery.state} />`}
        ${opened && html` <a class="why-body" href=${hrefOf(withQuery({ delivery: opened }))} aria-label=${`Body of ${delivery?.event ?? 'the delivery'}`}>Body</a>`}
      </p>
      ${delivery?.why && html`<p class="quiet">${reasonText(delivery.why)}</p>`}
      ${effects.map((effect) => html`<${EffectView} effect=${effect} nameTransaction=${nameTransaction} />`)}
      ${delivery && effects.length === 0 && html`<p class="quiet">${effectWords(delivery)}</p>`}
    </div>
  </li>`;
}

/** @param {Entry} entry */
function toneOf({ kind }) {
  if (kind.startsWith('delivery')) return 'delivery';
  if (kind.startsWith('provider')) return 'call';
  if (kind.startsWith('event')) return 'event';
  return kind.startsWith('flag') ? 'flagged' : 'own';
}

/**
 * @param {Entry} entry
 * @param {NameTransaction} nameTransaction
 * @param {NameProvider} nameProvider
 */
function titleOf(entry, nameTransaction, nameProvider) {
  const of = entry.transaction_id ? nameTransaction(entry.transaction_id) : 'the order';
  switch (entry.kind) {
    case 'order-created':
      return `Order created for ${money(entry.total_amount ?? '0', entry.currency ?? 'XXX')}`;
    case 'checkout-opened':
      return 'The consumer opened the checkout';
    case 'payment-mode-chosen':
      return 'The consumer chose a payment mode';
    case 'requested':
      return requests[entry.name ?? ''] ?? `Request ${entry.name}`;
    case 'provider-called':
      return `We called ${nameProvider(entry.transaction_id)} for ${of}: ${callText(entry.call)}`;
    case 'provider-polled':
      return `We polled ${nameProvider(entry.transaction_id)} about ${of}: ${callText(entry.call)}`;
    case 'delivery-received':
      return html`<strong>${entry.delivery?.event ?? 'A delivery'}</strong> from ${entry.delivery?.provider_name}`;
    case 'delivery-applied':
      return 'A parked delivery was applied';
    case 'order-lapsed':
      return 'The order lapsed';
    case 'time-passed':
      return 'A deadline passed';
    case 'order-rebuilt':
      return 'The order was rebuilt by an operator';
    case 'flag-raised':
      return `Flag ${nameOf(entry.flag ?? '').toLowerCase()} raised`;
    case 'flag-resolved':
      return `Flag ${nameOf(entry.flag ?? '').toLowerCase()} resolved by ${entry.actor}: ${entry.note}`;
    case 'event-announced':
      return html`Event ${eventLink(entry)} created for ${counted((entry.endpoints ?? []).length, 'endpoint')}`;
    case 'event-attempted':
      return html`Event ${eventLink(entry)} sent to ${addressOf(entry)}: ${statusText(entry.http_status)}, ${count(entry.duration_ms ?? 0)}\u00a0ms`;
    default:
      return sentence(entry.kind);
  }
}

/** @type {Record<string, string>} */
const requests = {
  'initiate-payment': 'A payment was started',
  refund: 'A refund was requested',
  'give-up': 'The consumer abandoned a payment',
  'update-order': 'The shop changed the order',
  'resolve-user': 'The shop identified the consumer',
  'update-link': 'The shop changed the payment link',
  'cancel-link': 'The payment link was cancelled',
};

/** @param {Entry['call']} call */
function callText(call) {
  if (!call) return 'unknown';
  const tries = call.tries > 1 ? `, ${call.tries} tries` : '';
  return `${call.outcome}, ${statusText(call.http_status)}, ${count(call.duration_ms)}\u00a0ms${tries}`;
}

/** @param {number | null | undefined} status */
function statusText(status) {
  return status === null || status === undefined ? 'no response' : `HTTP\u00a0${status}`;
}

/** @param {Entry} entry */
function eventLink({ event_id, type = '' }) {
  return html`<a href=${hrefOf(`/webhooks/${event_id}`)}>${sentence(type)}</a>`;
}

/** @param {Entry} entry */
function addressOf({ url }) {
  return url ? html`<span title=${url}>${shortUrl(url)}</span>` : 'an endpoint that was deleted';
}

/** @param {{ effect: Effect, nameTransaction: NameTransaction }} props */
function EffectView({ effect, nameTransaction }) {
  const { transaction_id: id, changes } = effect;
  const line = (/** @type {Effect['changes'][number]} */ change) =>
    html`<li key=${change.field}><${ChangeView} change=${change} currency=${effect.currency} /></li>`;
  const visible = changes.slice(
    0,
    changes.length === changesShown + 1 ? changes.length : changesShown,
  );
  const rest = changes.slice(visible.length);
  return html`<div class="why-effect">
    <p>${id === null ? 'Order' : html`<a href=${hrefOf(withQuery({ transaction: id, entry: null }))} onClick=${() => show(`transaction-${id}`)}>${sentence(nameTransaction(id))}</a>`}</p>
    <ul>${visible.map(line)}
      ${rest.length > 0 && html`<li><details><summary>${count(rest.length)} more fields</summary><ul>${rest.map(line)}</ul></details></li>`}
    </ul></div>`;
}

/** @param {{ change: Effect['changes'][number], currency: string | null }} props */
function ChangeView({ change: { field, from, to }, currency }) {
  const before = shortText(field, from, currency);
  const after = shortText(field, to, currency);
  return html`<span class="quiet">${nameOf(field)}</span> ${before !== 'none' && html`<s>${before}</s> <span aria-hidden="true">→</span><span class="unseen"> became </span> `}<strong>${after}</strong>`;
}
