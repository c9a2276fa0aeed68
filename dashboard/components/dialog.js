/** A question in front of the page. The browser keeps the focus inside and closes it with Escape. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { html } from '../core/html.js';

/** @param {{ title: string, onClose: () => void, children: import('../core/html.js').Children }} props */
export function Dialog({ title, onClose, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return html`<dialog ref=${dialog} aria-labelledby=${titleId} onClose=${onClose}>
    <h2 id=${titleId}>${title}</h2>
    ${children}
  </dialog>`;
}
