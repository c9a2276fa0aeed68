/** What a page shows instead of data: while it loads, when there is none, and when it cannot be loaded. */
import { html } from '../core/html.js';

/** @param {{ lines?: number }} props */
export function Skeleton({ lines = 6 }) {
  return html`<div class="skeleton" role="status" aria-label="Loading">
    ${Array.from({ length: lines }, () => html`<div class="bone"></div>`)}
  </div>`;
}

/** @param {{ title: string, children?: import('../core/html.js').Children }} props */
export function Empty({ title, children }) {
  return html`<div class="empty"><p class="empty-title">${title}</p>${children}</div>`;
}

/**
 * @param {object} props
 * @param {import('../core/api.js').ApiError} props.error
 * @param {() => void} [props.reload]
 * @param {boolean} [props.isPage] True if nothing else is on the page.
 */
export function Failure({ error, reload, isPage = false }) {
  const title = failureTitles[error.status] ?? 'This could not be loaded';
  return html`<div class="empty" role="alert">
    ${isPage ? html`<h1>${title}</h1>` : html`<p class="empty-title">${title}</p>`}
    <p>${error.message}</p>
    ${reload && html`<button type="button" onClick=${reload}>Try again</button>`}
  </div>`;
}

/** @type {Record<number, string>} */
const failureTitles = {
  0: 'No connection',
  403: 'Your role does not allow this',
  404: 'Not found',
  429: 'Too many requests',
};

/**
 * Data of `useLive` in one of its states.
 * @param {{ live: import('../core/live.js').Live<any>, lines?: number, children: (data: any) => any }} props
 */
export function Loaded({ live, lines, children }) {
  if (live.data !== undefined) {
    const { error } = live;
    return html`${error && error.status !== 0 && html`<p class="banner" role="status">Not refreshed: ${error.message}</p>`}
      ${children(live.data)}`;
  }
  if (live.error) return html`<${Failure} error=${live.error} reload=${live.reload} />`;
  return html`<${Skeleton} lines=${lines} />`;
}
