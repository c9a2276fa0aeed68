/** What a page shows instead of data: while it loads, when there is none, and when it cannot be loaded. */
import { ApiError } from '../core/api.js';
import { html } from '../core/html.js';
import { problemOf } from '../core/problem.js';

/** @param {{ lines?: number }} props */
export function Skeleton({ lines = 6 }) {
  return html`<div class="skeleton" role="status" aria-label="Loading">
    ${Array.from({ length: lines }, () => html`<div class="bone"></div>`)}
  </div>`;
}

/** @param {{ title: string, isPage?: boolean, children?: import('../core/html.js').Children }} props */
export function Empty({ title, isPage = false, children }) {
  return html`<div class="empty"><${Title} title=${title} isPage=${isPage} />${children}</div>`;
}

/** @param {{ title: string, isPage: boolean }} props `isPage`: nothing else is on the page, so this is its heading. */
function Title({ title, isPage }) {
  return isPage
    ? html`<h1 class="empty-title">${title}</h1>`
    : html`<p class="empty-title">${title}</p>`;
}

/**
 * @param {object} props
 * @param {unknown} props.error
 * @param {() => void} [props.reload]
 * @param {boolean} [props.isPage] True if nothing else is on the page.
 */
export function Failure({ error, reload, isPage = false }) {
  const status = error instanceof ApiError ? error.status : -1;
  const title = failureTitles[status] ?? 'This could not be loaded';
  return html`<div class="empty" role="alert">
    <${Title} title=${title} isPage=${isPage} />
    <p>${problemOf(error)}</p>
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
 * @param {object} props
 * @param {import('../core/live.js').Live<any>} props.live
 * @param {number} [props.lines] Of the skeleton.
 * @param {boolean} [props.isPage] True if the heading of the page comes with the data.
 * @param {(data: any) => any} props.children
 */
export function Loaded({ live, lines, isPage, children }) {
  if (live.data !== undefined) {
    const { error } = live;
    return html`${error && error.status !== 0 && html`<p class="banner" role="status">Not refreshed: ${error.message}</p>`}
      ${children(live.data)}`;
  }
  if (live.error)
    return html`<${Failure} error=${live.error} reload=${live.reload} isPage=${isPage} />`;
  return html`<${Skeleton} lines=${lines} />`;
}
