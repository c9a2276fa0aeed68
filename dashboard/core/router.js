/**
 * The address is the state: which page is shown, its filters and its page of a list. So every view can be shared, and
 * the back button works.
 */
import { signal } from '@preact/signals';

/** The path of the dashboard: a proxy may serve it below another one. */
export const base = `${document.documentElement.dataset.base ?? ''}/dashboard`;

/**
 * @typedef {object} CurrentRoute
 * @property {string} path Without the base, such as `/orders`.
 * @property {URLSearchParams} query
 * @property {boolean} isReturn After the back or forward button.
 */

export const currentRoute = signal(read());

addEventListener('popstate', () => {
  currentRoute.value = read(true);
});

// Links are ordinary links, so they can be copied and opened in another tab.
document.addEventListener('click', (event) => {
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!isPlain || event.defaultPrevented || !link || link.target || link.download) return;
  const url = new URL(link.href);
  const isOurs = url.origin === location.origin && url.pathname.startsWith(base);
  if (!isOurs || url.pathname.startsWith(`${base}/api/`)) return;
  // A link within the page: the browser scrolls and moves the focus.
  const isHere = url.pathname === location.pathname && url.search === location.search;
  if (isHere && url.hash !== '') return;
  event.preventDefault();
  navigate(url.pathname.slice(base.length) + url.search);
});

/**
 * @param {string} to Without the base.
 * @param {{ replace?: boolean }} [options]
 */
export function navigate(to, { replace = false } = {}) {
  const url = hrefOf(to);
  if (url === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  const isOtherPage = read().path !== currentRoute.value.path;
  currentRoute.value = read();
  if (isOtherPage) scrollTo(0, 0);
}

/** @param {string} to */
export function hrefOf(to) {
  return base + to;
}

/**
 * The same page with other parameters; null or an empty text removes one.
 * @param {Record<string, string | null>} changes
 * @returns {string}
 */
export function withQuery(changes) {
  const query = new URLSearchParams(currentRoute.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return currentRoute.value.path + (text === '' ? '' : `?${text}`);
}

/**
 * The page of a list that the address names.
 * @param {string} path Of the list in the API.
 */
export function withCursor(path) {
  const after = currentRoute.value.query.get('after');
  return after === null ? path : `${path}?after=${encodeURIComponent(after)}`;
}

/** @returns {CurrentRoute} */
function read(isReturn = false) {
  const path = location.pathname.slice(base.length).replace(/\/$/, '');
  const query = new URLSearchParams(location.search);
  return { path: path === '' ? '/' : path, query, isReturn };
}
