/** Field by field: what set the value of a transaction, what it was before, and what else mentioned it and lost. */
import { useEffect } from 'preact/hooks';
import { moneyOf, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { currentRoute } from '../core/router.js';
import { Fold, show } from './fold.js';
import { Status } from './status.js';
import { Time } from './text.js';
import { nameOf, SourceLink, valueText } from './why-values.js';

/** @typedef {import('./why-values.js').Source} Source */
/** @typedef {import('./why-values.js').Anchored} Anchored */
/** @typedef {{ source: Source, value: unknown, rule: string }} Lost */
/**
 * @typedef {object} Explained
 * @property {string} field
 * @property {unknown} value
 * @property {string} rule
 * @property {Source[]} set_by
 * @property {number} set_by_more
 * @property {{ value: unknown, until: string | null, cause: Source } | null} previous
 * @property {Lost[]} lost
 * @property {number} lost_more
 * @property {{ flag: string, rule: string, set_by: Source[] }[] | null} flags
 */
/**
 * @typedef {object} ExplainedTransaction
 * @property {string} transaction_id
 * @property {'payment' | 'refund'} type
 * @property {string} provider_name
 * @property {string} status
 * @property {string | null} currency
 * @property {Explained[]} fields
 */

/** More than these are folded. */
const lostShown = 3;
const listedMax = 6;

/** @typedef {{ timeline: Anchored[], rules: Record<string, string> }} Sources The sentences of the rules are in a table. */

/** @param {Sources & { transaction: ExplainedTransaction, isOpen: boolean }} props */
export function Provenance({ transaction, timeline, rules, isOpen }) {
  const { transaction_id: id, type, status, currency, fields } = transaction;
  const wanted = currentRoute.value.query.get('transaction') === id;
  useEffect(() => {
    if (wanted) show(`transaction-${id}`);
  }, [wanted, id]);
  const told = fields.filter(isTold);
  const others = fields.filter((field) => !isTold(field));
  const amount = fields.find(({ field }) => field === 'amount')?.value;
  const summary = html`<span class="order-summary">
    <strong>${sentence(type)}${typeof amount === 'string' ? ` of ${moneyOf(amount, currency)}` : ''}</strong>
    <${Status} of=${status} /><code class="quiet">${id}</code></span>`;
  return html`<li class="card why-transaction"><${Fold} id=${`transaction-${id}`} summary=${summary} isOpen=${isOpen || wanted}>${() => html`
    <dl class="why-explained">${told.map(
      (field) => html`<div key=${field.field}><dt>${nameOf(field.field)}</dt>
        <dd><p class="value">${valueText(field.field, field.value, currency)}</p>
          <${Why} field=${field} currency=${currency} timeline=${timeline} rules=${rules} transactionId=${id} /></dd></div>`,
    )}</dl>
    ${others.length > 0 && html`<p class="quiet">Never reported: ${others.map(({ field }) => nameOf(field)).join(', ')}.</p>`}`}
  </${Fold}></li>`;
}

/** @param {Explained} field */
function isTold({ value, lost, previous }) {
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  return !isEmpty || lost.length > 0 || (previous !== null && previous.value !== null);
}

/** @param {Sources & { field: Explained, currency: string | null, transactionId: string }} props */
function Why({ field, currency, timeline, rules, transactionId }) {
  const { flags, lost } = field;
  const text = (/** @type {unknown} */ value) => valueText(field.field, value, currency);
  const link = (/** @type {Source} */ source, /** @type {string | null} */ at = null) =>
    html`<${SourceLink} source=${source} timeline=${timeline} transactionId=${transactionId} at=${at} />`;
  const same = lost.filter(
    ({ value, rule }) => rule === 'also-reported' || isEqual(value, field.value),
  );
  const beaten = lost.filter((each) => !same.includes(each));
  return html`
    ${
      flags
        ? flags.map(
            ({ flag, rule, set_by }) =>
              html`<div>${sentence(flag)}: ${setBy(set_by, 0, link)} <span class="quiet">${rules[rule]}</span></div>`,
          )
        : html`<div>${setBy(field.set_by, field.set_by_more, link)} <span class="quiet">${rules[field.rule]}</span></div>`
    }
    <${Previous} field=${field} text=${text} link=${link} />
    ${same.length > 0 && html`<div>Also reported by ${listed(same.map(({ source }) => link(source)))}</div>`}
    <${Beaten} lost=${beaten} more=${field.lost_more} rules=${rules} text=${text} link=${link} />`;
}

/** @param {{ field: Explained, text: (value: unknown) => string, link: (source: Source, at: string | null) => any }} props */
function Previous({ field: { previous, set_by }, text, link }) {
  if (previous === null) return null;
  const { value, until, cause } = previous;
  const when = until !== null && html` <${Time} at=${until} />`;
  if (value !== null) {
    return html`<p>Previously <s>${text(value)}</s>${until !== null && html` until${when}`}, changed by ${link(cause, until)}.</p>`;
  }
  const isSame = set_by.length === 1 && isEqual(set_by[0], cause);
  return isSame && when
    ? html`<p>Since${when}.</p>`
    : html`<p>First set${when} by ${link(cause, until)}.</p>`;
}

/**
 * @param {Source[]} sources
 * @param {number} more
 * @param {(source: Source) => any} link
 */
function setBy(sources, more, link) {
  if (sources.length === 0) return 'Set by no delivery or call.';
  return html`Set by ${listed(
    sources.map((source) => link(source)),
    more,
  )}`;
}

/**
 * Times are shown without their milliseconds, and still differ by them.
 * @param {unknown} a
 * @param {unknown} b
 */
function isEqual(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * The end of a sentence: some links, and the others folded.
 * @param {any[]} parts
 * @param {number} [more] How many there are besides.
 */
function listed(parts, more = 0) {
  const joined = (/** @type {any[]} */ some) =>
    some.map((part, index) => html`${index > 0 && ', '}${part}`);
  const end = more > 0 ? ` and ${more} more.` : '.';
  if (parts.length <= listedMax) return html`${joined(parts)}${end}`;
  const rest = parts.slice(lostShown);
  return html`${joined(parts.slice(0, lostShown))} and others.
    <${Fold} summary=${`${rest.length + more} others`}>${() => html`<span>${joined(rest)}${end}</span>`}</${Fold}>`;
}

/** @param {{ lost: Lost[], more: number, rules: Record<string, string>, text: (value: unknown) => string, link: (source: Source) => any }} props */
function Beaten({ lost, more, rules, text, link }) {
  const line = (/** @type {Lost} */ { source, value, rule }) =>
    html`<li>Overruled: <s>${text(value)}</s> from ${link(source)}. <span class="quiet">${rules[rule]}</span></li>`;
  const visible = lost.slice(0, lostShown);
  const rest = lost.slice(lostShown);
  if (visible.length === 0) return more > 0 ? html`<p>${more} more were overruled.</p>` : null;
  return html`<ul class="why-lost">${visible.map(line)}
    ${
      rest.length + more > 0 &&
      html`<li><details><summary>${rest.length + more} more overruled</summary>
        <ul class="why-lost">${rest.map(line)}${more > 0 && html`<li>And ${more} more.</li>`}</ul></details></li>`
    }
  </ul>`;
}
