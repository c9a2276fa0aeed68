/** The way through a list: its cursor is in the address, so the back button leads to the page before. */
import { html } from '../core/html.js';
import { currentRoute, hrefOf, withQuery } from '../core/router.js';

/**
 * @param {object} props
 * @param {string | null} props.next
 * @param {string} props.label
 * @param {string} [props.toFirst] The words for the first page and for the next one.
 * @param {string} [props.toNext]
 */
export function Pager({ next, label, toFirst = 'Newest', toNext = 'Older' }) {
  const isFirst = !currentRoute.value.query.has('after');
  if (isFirst && next === null) return null;
  // The link that had the focus is replaced together with the list.
  const focusContent = () => document.getElementById('content')?.focus({ preventScroll: true });
  return html`<nav class="pager" aria-label=${`Pages of ${label}`} onClick=${focusContent}>
    ${!isFirst && html`<a href=${hrefOf(withQuery({ after: null }))}>${toFirst}</a>`}
    ${next !== null && html`<a href=${hrefOf(withQuery({ after: next }))}>${toNext}</a>`}
  </nav>`;
}
