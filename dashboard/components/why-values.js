/** Names and values of the fields that are explained, and the addresses of what set them. */
import { exactTime, money, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { hrefOf, withQuery } from '../core/router.js';
import { show } from './fold.js';

/** @typedef {{ kind: 'delivery', delivery_id: string | null } | { kind: 'call', operation?: string } | { kind: 'request', name: string } | { kind: 'operator', command: string } | { kind: 'order' } | { kind: 'time' }} Source */
/** @typedef {{ field: string, from: unknown, to: unknown }} Change */
/** @typedef {{ transaction_id: string | null, currency: string | null, changes: Change[] }} Effect */
/**
 * @typedef {object} Delivery
 * @property {string} delivery_id
 * @property {string} provider_name
 * @property {string} state
 * @property {string | null} why
 * @property {string | null} event
 * @property {string | null} amount
 * @property {string | null} currency
 * @property {number} tries
 */
/**
 * An entry of the timeline. Which fields it has depends on its kind.
 * @typedef {object} Entry
 * @property {string} kind
 * @property {string} at
 * @property {Source} [cause]
 * @property {Effect[]} [effects]
 * @property {Delivery} [delivery]
 * @property {string} [delivery_id]
 * @property {string | null} [transaction_id]
 * @property {string} [name]
 * @property {{ operation: string, outcome: string, http_status: number | null, duration_ms: number, tries: number }} [call]
 * @property {string | null} [subject]
 * @property {string} [flag]
 * @property {string} [actor]
 * @property {string} [note]
 * @property {string} [event_id]
 * @property {string} [type]
 * @property {{ endpoint_id: string }[]} [endpoints]
 * @property {string} [endpoint_id]
 * @property {string | null} [url]
 * @property {number | null} [http_status]
 * @property {number} [duration_ms]
 * @property {string} [total_amount]
 * @property {string} [currency]
 */
/** @typedef {{ anchor: string, entry: Entry }} Anchored */

/** @type {Record<string, string>} */
const names = {
  psp_transaction_id: 'Provider ID',
  provider_order_id: 'Provider order',
  started_at: 'Started',
  finished_at: 'Finished',
  given_up_at: 'Abandoned',
  is_over: 'Over',
  payment_arn: 'Bank reference',
  refund_arn: 'Bank reference',
  payment_psp_id: 'Provider ID of the payment',
  sub_payment_mode: 'Mode details',
  call: 'Our call',
};

/** @param {string} field */
export function nameOf(field) {
  return names[field] ?? sentence(field);
}

/** Reports differ by seconds. */
const withSeconds = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
});
const amounts = new Set(['amount', 'customer_fee', 'offer_discount', 'captures']);

/**
 * @param {string} field
 * @param {unknown} value
 * @param {string | null} currency
 * @returns {string}
 */
export function valueText(field, value, currency) {
  if (value === null || value === undefined) return 'none';
  if (Array.isArray(value)) {
    const texts = value.map((each) => valueText(field === 'flags' ? field : '', each, currency));
    return texts.length === 0 ? 'none' : texts.join(', ');
  }
  if (isFailure(value)) return `${codeText(value)}: ${value.merchant_message}`;
  if (typeof value === 'object') return recordText(value, currency);
  const text = String(value);
  if (amounts.has(field) && currency !== null && /^\d+(\.\d+)?$/.test(text)) {
    return money(text, currency);
  }
  if (/_(at|since)$/.test(field) && /^\d{4}-\d\d-\d\dT/.test(text)) {
    return withSeconds.format(new Date(text));
  }
  return field === 'flags' ? sentence(text) : text;
}

/**
 * The same in a few words.
 * @param {string} field
 * @param {unknown} value
 * @param {string | null} currency
 */
export function shortText(field, value, currency) {
  return isFailure(value) ? codeText(value) : valueText(field, value, currency);
}

/**
 * @param {unknown} value
 * @returns {value is { code: string, merchant_message: string }}
 */
function isFailure(value) {
  return typeof value === 'object' && value !== null && 'merchant_message' in value;
}

/** @param {{ code: string }} failure */
function codeText({ code }) {
  return sentence(code.toLowerCase());
}

/**
 * @param {object} value
 * @param {string | null} currency
 */
function recordText(value, currency) {
  return Object.entries(value)
    .filter(([, each]) => each !== null)
    .map(([name, each]) => `${nameOf(name)}: ${valueText(name, each, currency)}`)
    .join('; ');
}

/**
 * The end of an id is enough to tell it from the others of an order.
 * @param {string} id
 */
export function shortId(id) {
  return `#${id.slice(-6)}`;
}

/**
 * Where an entry can be linked to. Several entries may have the same time.
 * @param {Entry[]} entries
 * @returns {Anchored[]}
 */
export function anchorEntries(entries) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return entries.map((entry) => {
    const name = anchorOf(entry);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { anchor: count === 1 ? name : `${name}-${count}`, entry };
  });
}

/** @param {Entry} entry */
function anchorOf({ kind, at, delivery, delivery_id }) {
  if (kind === 'order-created') return 'created';
  if (delivery) return delivery.delivery_id;
  if (delivery_id) return `applied-${delivery_id}`;
  return `${kind}-${Date.parse(at)}`;
}

/**
 * The entry that stands for a source of a value; undefined if it is on another page of the timeline.
 * @param {Anchored[]} timeline
 * @param {Source} source
 * @param {{ transactionId: string, at?: string | null }} about
 */
export function findEntry(timeline, source, { transactionId, at }) {
  if (source.kind === 'order') return timeline.find(({ entry }) => entry.kind === 'order-created');
  if (source.kind === 'delivery') {
    const { delivery_id: id } = source;
    const applied =
      at && timeline.find(({ anchor, entry }) => anchor === `applied-${id}` && entry.at === at);
    return applied || timeline.find(({ anchor }) => anchor === id);
  }
  const own = timeline.filter(({ entry }) => concerns(entry, transactionId));
  const exact = at && own.find(({ entry }) => entry.at === at && entry.cause?.kind === source.kind);
  if (exact) return exact;
  const kinds =
    source.kind === 'time'
      ? ['order-lapsed', 'time-passed']
      : ['requested', 'provider-called', 'provider-polled'];
  return own.find(({ entry }) => kinds.includes(entry.kind));
}

/**
 * @param {Entry} entry
 * @param {string} transactionId
 */
function concerns({ transaction_id, effects = [] }, transactionId) {
  return (
    transaction_id === transactionId ||
    effects.some(
      (effect) => effect.transaction_id === transactionId || effect.transaction_id === null,
    )
  );
}

/**
 * A link to what set a value, in words.
 * @param {{ source: Source, timeline: Anchored[], transactionId: string, at?: string | null }} props
 */
export function SourceLink({ source, timeline, transactionId, at }) {
  const found = findEntry(timeline, source, { transactionId, at: at ?? null });
  const words = wordsOf(source, found?.entry);
  if (found) {
    const { anchor, entry } = found;
    const href = hrefOf(withQuery({ entry: anchor, delivery: null }));
    // The address may have it already, and the reader may have moved on since.
    const open = () => show(`entry-${anchor}`);
    return html`<a href=${href} title=${exactTime(entry.at)} onClick=${open}>${words}</a>`;
  }
  if (source.kind === 'delivery' && source.delivery_id !== null) {
    return html`<a href=${hrefOf(withQuery({ delivery: source.delivery_id }))}>${words}</a>`;
  }
  return words;
}

/**
 * @param {Source} source
 * @param {Entry | undefined} entry
 */
function wordsOf(source, entry) {
  switch (source.kind) {
    case 'delivery':
      if (entry?.delivery) return `${entry.delivery.event ?? 'a delivery'}`;
      return source.delivery_id === null
        ? 'an unknown delivery'
        : `delivery ${shortId(source.delivery_id)}`;
    case 'call':
      return source.operation ? `our call ${source.operation}` : 'our call';
    case 'request':
      return `the request ${source.name}`;
    case 'operator':
      return `an operator with “${source.command}”`;
    case 'order':
      return 'the order';
    default:
      return 'time';
  }
}
