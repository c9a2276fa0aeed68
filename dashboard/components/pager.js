/** The way through a list: its place is a cursor in the address, so the back button leads to the page before. */
import { html } from '../core/html.js';
import { hrefOf, place, withQuery } from '../core/router.js';

/** @param {{ next: string | null, label: string }} props */
export function Pager({ next, label }) {
  const isFirst = !place.value.query.has('after');
  if (isFirst && next === null) return null;
  return html`<nav class="pager" aria-label=${`Pages of ${label}`}>
    ${!isFirst && html`<a href=${hrefOf(withQuery({ after: null }))}>Newest</a>`}
    ${next !== null && html`<a href=${hrefOf(withQuery({ after: next }))}>Older</a>`}
  </nav>`;
}
