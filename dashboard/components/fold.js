/** Something that can be opened. What is inside is made when it is opened first, so that a long page stays light. */
import { useState } from 'preact/hooks';
import { html } from '../core/html.js';

/**
 * @param {object} props
 * @param {import('../core/html.js').Children} props.summary
 * @param {boolean} [props.isOpen] At first; `show` opens it later.
 * @param {string} [props.id] Of the line that opens it.
 * @param {() => any} props.children
 */
export function Fold({ summary, isOpen = false, id, children }) {
  // Later only the user opens and closes it: a refresh of the page does not.
  const [isOpenAtFirst] = useState(isOpen);
  const [wasOpened, setOpened] = useState(isOpen);
  const toggle = (/** @type {Event} */ event) => {
    if (event.currentTarget instanceof HTMLDetailsElement && event.currentTarget.open) {
      setOpened(true);
    }
  };
  return html`<details open=${isOpenAtFirst} onToggle=${toggle}><summary id=${id}>${summary}</summary>
    ${(isOpen || wasOpened) && children()}
  </details>`;
}

/**
 * Opens what an element is folded in, and leads there.
 * @param {string} id
 */
export function show(id) {
  const element = document.getElementById(id);
  if (!element) return;
  for (
    let fold = element.closest('details');
    fold;
    fold = fold.parentElement?.closest('details') ?? null
  ) {
    fold.open = true;
  }
  element.scrollIntoView({ block: 'center' });
  element.focus({ preventScroll: true });
}
