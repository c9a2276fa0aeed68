/** A question in front of the page. The browser keeps the focus inside and closes it with Escape. */
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { html } from '../core/html.js';

/**
 * @typedef {object} DialogProps
 * @property {string} title
 * @property {() => void} [onClose] Without it the dialog stays until it is answered.
 * @property {import('../core/html.js').Children} children
 */

/**
 * Another title is another dialog: the focus goes to the first field of its content.
 * @param {DialogProps} props
 */
export function Dialog(props) {
  return html`<${Opened} key=${props.title} ...${props} />`;
}

/** @param {DialogProps} props */
function Opened({ title, onClose, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const titleId = useId();
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  // Some browsers do not know `closedby` yet.
  const closed = () => (onClose ? onClose() : dialog.current?.showModal());
  return html`<dialog ref=${dialog} class=${onClose ? '' : 'held'} aria-labelledby=${titleId} closedby=${onClose ? undefined : 'none'} onClose=${closed}>
    <h2 id=${titleId}>${title}</h2>
    ${children}
  </dialog>`;
}
