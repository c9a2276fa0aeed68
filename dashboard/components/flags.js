/** Flags: why a person should look at something, and what to do about it. */
import { sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { Time } from './text.js';

/** @typedef {import('../../src/http/dashboard/order-page.ts').FlagView} Flag */

/** @param {{ flags: Flag[] }} props */
export function Flags({ flags }) {
  if (flags.length === 0) return null;
  return html`<ul class="order-flags">${flags.map(
    ({
      flag,
      advice,
      resolved_at,
      resolved_by,
    }) => html`<li key=${flag} class=${resolved_at === null ? 'order-flag' : 'order-flag resolved'}>
      <strong>${sentence(flag)}.</strong>${' '}
      ${resolved_at === null ? advice : html`Resolved by ${resolved_by} on <${Time} at=${resolved_at} />.`}
    </li>`,
  )}</ul>`;
}
