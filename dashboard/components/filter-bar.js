/** Filters of a list. They are part of the address, and a change of one leads to the first page. */
import { html } from '../core/html.js';
import { hrefOf, navigate, place, withQuery } from '../core/router.js';
import { Select } from './form.js';

/**
 * @typedef {object} Filter
 * @property {string} name
 * @property {string} label
 * @property {readonly (readonly [value: string, text: string])[]} options Without the one for all.
 * @property {string} [usual] The value without a choice, where there is none for all.
 */

/** @param {{ filters: readonly Filter[], children?: import('../core/html.js').Children }} props */
export function FilterBar({ filters, children }) {
  const { query } = place.value;
  const change = (/** @type {string} */ name, /** @type {string} */ value) =>
    navigate(withQuery({ [name]: value, after: null }));
  const used = filters.filter(({ name, usual }) => query.has(name) && usual === undefined);
  const none = Object.fromEntries(used.map(({ name }) => [name, null]));
  return html`<div class="filters" role="group" aria-label="Filters">
    ${filters.map(
      ({ name, label, options, usual }) => html`<${Select} key=${name} name=${name} label=${label}
        options=${usual === undefined ? [['', 'All'], ...options] : options} value=${query.get(name) ?? usual ?? ''}
        onChange=${(/** @type {string} */ value) => change(name, value)} />`,
    )}
    ${children}
    ${used.length > 0 && html`<a class="reset" href=${hrefOf(withQuery({ ...none, after: null }))}>Clear filters</a>`}
  </div>`;
}
