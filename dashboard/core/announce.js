/** What screen readers hear although nothing that has the focus has changed: the title of a page, the number of results. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { counted } from './format.js';
import { html } from './html.js';
import { currentRoute } from './router.js';

/** Screen readers ignore a text that does not change, so each announcement has another number. */
const announced = signal({ number: 0, text: '' });

/** @param {string} text */
export function announce(text) {
  announced.value = { number: announced.peek().number + 1, text };
}

/** Stands once in the frame of the page. */
export function Announcements() {
  const { number, text } = announced.value;
  return html`<p class="unseen" role="status"><span key=${number}>${text}</span></p>`;
}

/** @param {string} title */
export function setTitle(title) {
  document.title = `${title} · Payments`;
}

/**
 * The title of a page that is about one object.
 * @param {string | undefined} title Undefined until it is known.
 */
export function useTitle(title) {
  useEffect(() => {
    if (title === undefined) return;
    setTitle(title);
    announce(title);
  }, [title]);
}

/** The list that was counted last, and its page. */
let last = { page: '', path: '' };

/**
 * Says how many results there are after a change of filters or pages. Opening a list and refreshing it say nothing.
 * @param {import('./live.js').Live<any>} live
 * @param {(data: any) => unknown[]} rowsOf
 * @param {string} one What a row is called.
 * @param {string} [several]
 */
export function useResultCount({ path, data }, rowsOf, one, several) {
  useEffect(() => {
    if (data === undefined || path === last.path) return;
    const page = currentRoute.peek().path;
    const hasMore = Boolean(data.next ?? data.more);
    const words = `${counted(rowsOf(data).length, one, several)}${hasMore ? ', and more' : ''}`;
    if (page === last.page) announce(words);
    last = { page, path };
  }, [path, data]);
}
