/**
 * A button that opens a list of links and actions. Escape closes it and returns to the button; a click elsewhere and
 * leaving it with Tab close it too. Arrow keys move inside.
 */
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../core/html.js';

/**
 * @param {object} props
 * @param {string} props.kind The class of the menu; that of its list follows from it.
 * @param {import('../core/html.js').Children} props.summary
 * @param {string} [props.label] For screen readers, where several buttons have the same words.
 * @param {(close: () => void) => any} props.children The items of the list.
 */
export function Menu({ kind, summary, label, children }) {
  const menu = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  useEffect(() => {
    const onPointer = (/** @type {Event} */ event) => closeUnless(menu.current, event.target);
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, []);
  const close = () => closeAndReturn(menu.current);
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    const details = menu.current;
    if (!details) return;
    const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (isArrow) {
      details.open = true;
      move(details, event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Escape' && details.open) close();
    else return;
    event.preventDefault();
  };
  const onFocusOut = (/** @type {FocusEvent} */ event) => {
    if (event.relatedTarget) closeUnless(menu.current, event.relatedTarget);
  };
  // A link opens another page, so the menu closes.
  const onClick = (/** @type {Event} */ event) => {
    if (event.target instanceof Element && event.target.closest('a')) close();
  };
  return html`<details class=${kind} ref=${menu} onKeyDown=${onKeyDown} onFocusOut=${onFocusOut} onClick=${onClick}>
    <summary aria-label=${label}>${summary}</summary>
    <ul class=${`${kind}-choices`}>${children(close)}</ul>
  </details>`;
}

/**
 * @param {HTMLDetailsElement | null} details
 * @param {EventTarget | null} target
 */
function closeUnless(details, target) {
  if (details && !(target instanceof Node && details.contains(target))) details.open = false;
}

/** @param {HTMLDetailsElement | null} details */
function closeAndReturn(details) {
  if (!details) return;
  if (details.contains(document.activeElement)) details.querySelector('summary')?.focus();
  details.open = false;
}

/**
 * @param {HTMLDetailsElement} details
 * @param {1 | -1} step
 */
function move(details, step) {
  const items = [...details.querySelectorAll('a, button')];
  const here = items.findIndex((item) => item.matches(':focus'));
  const next =
    here === -1 && step === -1 ? items.at(-1) : items[(here + step + items.length) % items.length];
  if (next instanceof HTMLElement) next.focus();
}
