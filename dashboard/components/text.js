/** Small pieces of text: money, times, ids. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ago, exactTime, money, time } from '../core/format.js';
import { html } from '../core/html.js';

/** @param {{ amount: string, currency: string }} props */
export function Money({ amount, currency }) {
  return html`<span class="money">${money(amount, currency)}</span>`;
}

/** @param {{ at: string | null, relative?: boolean }} props */
export function Time({ at, relative = false }) {
  if (at === null) return '–';
  return html`<time datetime=${at} title=${exactTime(at)}>${relative ? ago(at) : time(at)}</time>`;
}

/**
 * An id or an address, with a button that copies it. Where the browser does not allow that, it is selected.
 * @param {{ text: string, label: string, short?: string }} props
 */
export function Copyable({ text, label, short = text }) {
  const [state, setState] = useState({ isCopied: false, isRefused: false });
  const code = useRef(/** @type {HTMLElement | null} */ (null));
  const { isCopied, isRefused } = state;
  useLayoutEffect(() => {
    if (state.isRefused && code.current) getSelection()?.selectAllChildren(code.current);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState({ isCopied: true, isRefused: false });
      setTimeout(() => setState({ isCopied: false, isRefused: false }), 2_000);
    } catch {
      setState({ isCopied: false, isRefused: true });
    }
  };
  return html`<span class="copyable"><code ref=${code}>${isRefused ? text : short}</code>
    <button type="button" class="small" aria-label=${`Copy ${label}`} onClick=${copy}>
      ${isCopied ? 'Copied' : 'Copy'}
    </button>
    <span class=${isRefused ? 'hint' : 'unseen'} role="status">
      ${isCopied && `${label} copied`}
      ${isRefused && 'The browser does not allow this. The text is selected, so you can copy it yourself.'}
    </span></span>`;
}
