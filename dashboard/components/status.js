/** A status as a word with a colour. The word alone says everything: the colour only helps the eye. */
import { sentence } from '../core/format.js';
import { html } from '../core/html.js';

/**
 * Those that are not listed are quiet.
 * @type {Record<string, 'good' | 'bad' | 'busy'>}
 */
const tones = {
  ...{
    completed: 'good',
    succeeded: 'good',
    processed: 'good',
    delivered: 'good',
    enabled: 'good',
  },
  won: 'good',
  lost: 'bad',
  open: 'busy',
  disputed: 'bad',
  failed: 'bad',
  dead: 'bad',
  needs_review: 'bad',
  undelivered: 'bad',
  failing: 'bad',
  disabled: 'bad',
  pending: 'busy',
  authorized: 'busy',
  reversing: 'busy',
  received: 'busy',
  parked: 'busy',
};

/** @param {{ of: string }} props */
export function Status({ of }) {
  return html`<span class=${`status ${tones[of] ?? 'quiet'}`}>${sentence(of)}</span>`;
}
