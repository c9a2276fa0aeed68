/** Names with values beside them. Those without a value are left out. */
import { html } from '../core/html.js';

/** @typedef {readonly (readonly [name: string, value: any])[]} FactList */

/** @param {{ facts: FactList, kind?: 'wide' | 'stacked' | 'card stacked' }} props In columns, or with values below names. */
export function Facts({ facts, kind }) {
  const known = facts.filter(([, value]) => Boolean(value));
  if (known.length === 0) return null;
  return html`<dl class=${kind ? `facts ${kind}` : 'facts'}>${known.map(
    ([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}
