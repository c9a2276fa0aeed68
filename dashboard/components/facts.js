/** Names with values beside them. Those without a value are left out. */
import { html } from '../core/html.js';

/** @param {{ facts: readonly (readonly [name: string, value: any])[], isWide?: boolean }} props */
export function Facts({ facts, isWide = false }) {
  const known = facts.filter(([, value]) => Boolean(value));
  if (known.length === 0) return null;
  return html`<dl class=${isWide ? 'order-facts wide' : 'order-facts'}>${known.map(
    ([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}
