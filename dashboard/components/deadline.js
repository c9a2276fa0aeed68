/** Until when something can be done. The overview loads it alone, because it is the first page. */
import { isUrgent, timeLeft } from '../core/format.js';
import { html } from '../core/html.js';
import { Time } from './text.js';

/**
 * The end of the time for an answer, marked when it is near.
 * @param {{ at: string | null }} props
 */
export function Deadline({ at }) {
  if (at === null) return html`<span class="quiet">No deadline given</span>`;
  return html`<span class=${isUrgent(at) ? 'deadline urgent' : 'deadline'}><${Time} at=${at} /> <strong>${timeLeft(at)}</strong></span>`;
}
