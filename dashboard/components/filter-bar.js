/** Filters of a list. They are part of the address, and a change of one leads to the first page. */
import { useState } from 'preact/hooks';
import { html } from '../core/html.js';
import { currentRoute, hrefOf, navigate, withQuery } from '../core/router.js';
import { FilterInput } from './filter-input.js';
import { Select } from './form.js';

/**
 * @typedef {object} Filter
 * @property {string} name
 * @property {string} label
 * @property {readonly (readonly [value: string, text: string])[]} [options] Without the one for all.
 * @property {'amount' | 'time'} [kind] Of a filter that is typed and has no options.
 * @property {string} [usual] The value without a choice, where there is none for all.
 * @property {(value: string) => Record<string, string | null>} [also] What else changes with it.
 */

/**
 * @param {object} props
 * @param {readonly Filter[]} props.filters
 * @param {readonly Filter[]} [props.more] Those that are folded until they are needed.
 * @param {import('../core/html.js').Children} [props.children]
 */
export function FilterBar({ filters, more = [], children }) {
  const { query } = currentRoute.value;
  const used = [...filters, ...more].filter(
    ({ name, usual }) => query.has(name) && usual === undefined,
  );
  const none = Object.fromEntries(used.map(({ name }) => [name, null]));
  return html`<div class="filters" role="group" aria-label="Filters">
    ${filters.map((filter) => html`<${OneFilter} key=${filter.name} filter=${filter} />`)}
    ${children}
    ${used.length > 0 && html`<a class="reset" href=${hrefOf(withQuery({ ...none, after: null }))}>Clear filters</a>`}
    ${more.length > 0 && html`<${MoreFilters} filters=${more} />`}
  </div>`;
}

/** @param {{ filters: readonly Filter[] }} props */
function MoreFilters({ filters }) {
  const used = filters.filter(({ name }) => currentRoute.value.query.has(name)).length;
  const [isOpen, setOpen] = useState(used > 0);
  const toggled = (/** @type {Event} */ event) => {
    if (event.currentTarget instanceof HTMLDetailsElement) setOpen(event.currentTarget.open);
  };
  return html`<details class="more-filters" open=${isOpen} onToggle=${toggled}>
    <summary>More filters${used > 0 && ` (${used})`}</summary>
    <div class="filters">
      ${filters.map((filter) => html`<${OneFilter} key=${filter.name} filter=${filter} />`)}
    </div>
  </details>`;
}

/** @param {{ filter: Filter }} props */
function OneFilter({ filter: { name, label, options = [], kind, usual, also } }) {
  const value = currentRoute.value.query.get(name) ?? usual ?? '';
  const change = (/** @type {string} */ wanted) =>
    navigate(withQuery({ ...also?.(wanted), [name]: wanted, after: null }));
  if (kind) {
    return html`<${FilterInput} kind=${kind} name=${name} label=${label} value=${value} onChange=${change} />`;
  }
  return html`<${Select} name=${name} label=${label} value=${value} onChange=${change}
    options=${usual === undefined ? [['', 'All'], ...options] : options} />`;
}
