/** Small pieces of text: money, times, ids. */
import { useState } from 'preact/hooks';
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
 * An id or an address, with a button that copies it.
 * @param {{ text: string, label: string, shown?: string }} props
 */
export function Copyable({ text, label, shown = text }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return html`<span class="copyable"><code>${shown}</code>
    <button type="button" class="small" aria-label=${`Copy ${label}`} onClick=${copy}>
      ${isCopied ? 'Copied' : 'Copy'}
    </button>
    <span class="unseen" role="status">${isCopied && `${label} copied`}</span></span>`;
}
